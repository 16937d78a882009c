package dev.offsetd.cli.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.CommandLineRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command lines of bundles that fail before a server is called. */
class BundleCommandsTests {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "bundle; bundle needs a command: create, verify or import",
                "bundle create 127.0.0.1:1 -o x; no builds given",
                "bundle create 127.0.0.1:1 --all; --output is missing",
                "bundle create 127.0.0.1:1 --build-id xyz -o x; build-id \"xyz\"",
                "bundle create 127.0.0.1:1 --all --set @A/b -o x; --set is \"@A/b\"",
                "bundle create 127.0.0.1:1 --builds /missing -o x; --builds /missing cannot be read",
                "bundle import x 127.0.0.1:1; --signers is missing",
                "query --bundle x a b --fallback consensus; --fallback is given with --bundle; expected a URL",
                "query a b c --signers x; --signers is given without --bundle"
            })
    void invalidCommandLinesAreNamed(String line, String message) {
        CommandLineRun run = CommandLineRun.of(line.split(" ", -1));

        assertThat(run.err()).contains(message);
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void existingFileIsKept() throws Exception {
        Path file = Files.writeString(folder.resolve("site.offsetd"), "precious");

        CommandLineRun run = CommandLineRun.of("bundle", "create", "127.0.0.1:1", "--all", "-o", file.toString());

        assertThat(run.exitCode()).isEqualTo(5);
        assertThat(run.err()).contains("the file exists");
        assertThat(Files.readString(file)).isEqualTo("precious");
    }

    @Test
    void fileThatIsNoBundleIsRefused() throws Exception {
        Path file = Files.writeString(folder.resolve("site.offsetd"), "no bundle ".repeat(100));
        String build = "11".repeat(20);

        for (List<String> words : List.of(
                List.of("bundle", "verify", file.toString()),
                List.of("bundle", "import", file.toString(), "127.0.0.1:1", "--any-signer"),
                List.of("query", "--bundle", file.toString(), build, "point"))) {
            CommandLineRun run = CommandLineRun.of(words.toArray(String[]::new));
            assertThat(run.exitCode()).isEqualTo(3);
            assertThat(run.err()).contains(file + ": byte 0: not an offsetd bundle");
        }
        assertThat(CommandLineRun.of(
                                "bundle", "verify", folder.resolve("missing").toString())
                        .err())
                .contains("no such file");
    }

    @Test
    void typeSetIsNotAFileOfThatName() {
        // picocli reads arguments from files behind an @, and "pom.xml" is one.
        CommandLineRun run = CommandLineRun.of("query", "127.0.0.1:1", "11".repeat(20), "@pom.xml");

        assertThat(run.err()).contains("connection refused");
        assertThat(run.exitCode()).isEqualTo(4);
    }
}
