package dev.offsetd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.terminal.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OffsetdTests {

    @Test
    void helpListsEveryCommandAndExitCode() {
        CommandLineRun run = CommandLineRun.of("--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("extract", "types", "build-id", "query", "serve", "test")
                .containsPattern("(?m)^ +3 +the file is unreadable")
                .containsPattern("(?m)^ +10 +no JDK 25");
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"extract", "types", "symbols", "build-id", "query"})
    void everyCommandHasHelpAndKnowsJson(String command) {
        CommandLineRun run = CommandLineRun.of(command, "--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Usage: offsetd " + command).contains("--json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bundle create",
                "bundle import",
                "check",
                "core",
                "prewarm",
                "push",
                "query",
                "ready",
                "watch add",
                "watch list",
                "watch remove",
                "watch run"
            })
    void commandsThatCallAServerListItsExitCodes(String command) {
        CommandLineRun run = CommandLineRun.of((command + " --help").split(" ", -1));

        assertThat(run.out())
                .containsPattern("(?m)^ +4 +\\S")
                .containsPattern("(?m)^ +7 +(with --prewarm: )?the server requires a token");
    }

    @Test
    void commandThatIsNamedIsTheOnlyOneThatIsMade() {
        Commands commands = commands(false);

        assertThat(commands.forArguments("build-id", "extract").getSubcommands())
                .as("the others would cost its start more than the command itself")
                .containsOnlyKeys("build-id");
        assertThat(commands.forArguments("--help").getSubcommands())
                .containsKeys("help", "build-id", "extract", "push", "serve");
    }

    private static Commands commands(boolean installed) {
        return new Commands(new Console(Writer.nullWriter(), new PrintWriter(Writer.nullWriter()), false), installed);
    }

    @Test
    void programWithoutACommandPrintsItsHelp() {
        CommandLineRun run = CommandLineRun.of();

        assertThat(run).isEqualTo(CommandLineRun.of("--help"));
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void installationHasNoCommandsThatNeedTheSources() {
        Set<String> all =
                new HashSet<>(commands(false).forArguments().getSubcommands().keySet());

        all.removeAll(commands(true).forArguments().getSubcommands().keySet());

        assertThat(all).containsExactlyInAnyOrder("install", "test", "dist");
    }

    @Test
    void helpListsEveryCommandWithAnExample() {
        Commands commands = commands(false);
        List<String> help = CommandLineRun.of("--help").out().lines().toList();

        commands.forArguments("--help").getSubcommands().forEach((name, command) -> {
            if (!command.getCommandSpec().usageMessage().hidden() && !name.equals("help")) {
                int line = IntStream.range(0, help.size())
                        .filter(i -> help.get(i).startsWith("  " + name + " "))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(name));
                assertThat(help.get(line + 1)).as(name).contains("offsetd ").contains(name);
            }
        });
    }

    /** Wrapped lines cannot be pasted into a shell. */
    @Test
    void examplesAreNotWrapped() {
        String overview = CommandLineRun.of("--help").out();
        List<String> commands = Pattern.compile("(?m)^  ([a-z-]+) {2,}[A-Z]")
                .matcher(overview)
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(commands).contains("build-id", "prewarm", "man");
        for (String command : commands) {
            String help = CommandLineRun.of(command, "--help").out();
            assertThat(help.substring(help.indexOf("Examples:")).lines().skip(1))
                    .as(command)
                    .isNotEmpty()
                    .allMatch(line -> line.isBlank() || (line.startsWith("  ") && line.contains("offsetd ")));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"xyzzy", "exqract-everything", "x", "extract x --nonsense", "extract x -y"})
    void nonsenseIsNotCorrected(String line) {
        CommandLineRun run = CommandLineRun.of(line.split(" ", -1));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("; see offsetd ").doesNotContain("did you mean");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "types x --kind strct; --kind is \"strct\"; expected one of struct, union, class, enum, typedef, base",
                "types x --min-size some; --min-size is \"some\"; expected a number"
            })
    void valueThatAnOptionCannotHaveIsNamed(String line, String message, String expectation) {
        assertThat(CommandLineRun.of(line.split(" ", -1)).err())
                .startsWith("offsetd: " + message + "; " + expectation + "; see offsetd types --help");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "extract x | Missing ITEMS, --all or --definitions; see offsetd extract --help",
                "extract x A --all | too much to extract: expected one of ITEMS, --all and --definitions",
                "query a b | Missing required parameter: \"ITEMS\"; see offsetd query --help",
                "push pom.xml | URL is missing before the file; see offsetd push --help"
            })
    void forgottenArgumentIsNamed(String line, String message) {
        assertThat(CommandLineRun.of(line.split(" ", -1)))
                .isEqualTo(new CommandLineRun(2, "", "offsetd: " + message.replace('"', '\'') + "\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "extrct, extract",
        "prewrm x, prewarm",
        "buildid, build-id",
        "extract x --jsno, --json",
        "query a b c --lagn c, --lang"
    })
    void typosOfCommandsAndOptionsAreCorrected(String line, String correction) {
        CommandLineRun run = CommandLineRun.of(line.split(" ", -1));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err())
                .contains("; did you mean " + correction + "? See offsetd ")
                .hasLineCount(1);
    }

    @Test
    void helpIsColouredOnATerminalOnly() {
        StringWriter out = new StringWriter();

        new Offsetd(new Console(out, new PrintWriter(Writer.nullWriter()), null, Console.Output.COLOURED_TERMINAL))
                .run("--help");

        assertThat(out.toString()).contains("\033[1mextract\033[");
        assertThat(CommandLineRun.of("--help").out()).doesNotContain("\033");
    }

    @Test
    void whatOnlyTheLauncherCallsIsNotInTheHelp() {
        assertThat(CommandLineRun.of("--help").out()).doesNotContain("train");
    }

    @Test
    void versionNamesTheExtractorsToo() {
        assertThat(CommandLineRun.of("--version").out()).startsWith("offsetd ").contains(", extractor ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "--nonsense",
                "types",
                "types a b c",
                "types x --threads 0",
                "completion tcsh",
                "man nonsense",
                "symbols x --addresses 12",
                "symbols x --addresses 0xg",
                "symbols x --addresses 0x-1",
                "symbols x --addresses file:12",
                "symbols x --addresses 0x10000000000000000",
                "symbols x name --addresses 0x1",
                "symbols x --family",
                "symbols x a,,b",
                "extract x",
                "extract x A --all",
                "extract x --all --definitions",
                "extract x A,,B",
                "extract x A --view tree",
                "extract x A --expand 21",
                "types x a b",
                "types x --debug-dir /missing",
                "extract x A --lang d",
                "prewarm x --build-id 0011223344556677 --priority top",
                "build-id x --threads 2",
                "serve",
                "test"
            })
    void usageErrorsAreOneLineAndExitCode2(String line) {
        CommandLineRun run = CommandLineRun.of(line.split(" ", -1));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("offsetd: ").hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({
        "Broken pipe,141,''",
        "No space left on device,5,offsetd: cannot write the output: No space left on device"
    })
    void unwritableOutputFails(String reason, int exitCode, String message) {
        assertThat(runWithUnwritableOutput(reason, "--version")).isEqualTo(exitCode + " " + message);
    }

    /** Output is written while the file is read, and failures to read it look alike. */
    @ParameterizedTest
    @CsvSource({
        "Broken pipe,141,''",
        "No space left on device,5,offsetd: cannot write the output: No space left on device"
    })
    void unwritableDefinitionsAreNoFaultOfTheFile(String reason, int exitCode, String message, @TempDir Path folder)
            throws IOException {
        Path file = folder.resolve("layout.debug");
        try (InputStream fixture =
                OffsetdTests.class.getResourceAsStream("/fixtures/gcc12-dwarf5-x86_64-el/layout.debug")) {
            Files.copy(Objects.requireNonNull(fixture), file);
        }

        assertThat(runWithUnwritableOutput(reason, "extract", file.toString(), "--definitions"))
                .isEqualTo(exitCode + " " + message);
    }

    /** Returns the exit code and the line on standard error. */
    private static String runWithUnwritableOutput(String reason, String... words) {
        Writer full = new Writer() {
            @Override
            public void write(char[] text, int start, int length) throws IOException {
                throw new IOException(reason);
            }

            @Override
            public void flush() throws IOException {
                throw new IOException(reason);
            }

            @Override
            public void close() {}
        };
        StringWriter err = new StringWriter();
        int exitCode = new Offsetd(new Console(full, new PrintWriter(err), false)).run(words);
        return exitCode + " " + err.toString().strip();
    }
}
