package dev.offsetd.cli.file;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.cli.CommandLineRun;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code types} with its filters, and {@code extract --expand}, on a compiled fixture. */
class TypesCommandTests {

    @TempDir
    private static Path folder;

    private static String file = "";

    @BeforeAll
    static void copyFixture() throws IOException {
        Path copy = folder.resolve("layout.debug");
        try (InputStream fixture =
                TypesCommandTests.class.getResourceAsStream("/fixtures/gcc12-dwarf5-x86_64-el/layout.debug")) {
            Files.copy(fixture, copy);
        }
        file = copy.toString();
    }

    private static List<String[]> rows(String... options) {
        CommandLineRun run = CommandLineRun.of(
                Stream.concat(Stream.of("types", file), Stream.of(options)).toArray(String[]::new));
        assertThat(run.exitCode()).isZero();
        return run.out().lines().map(line -> line.strip().split(" +", 3)).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "poin, point, true",
        "poin, pointers, true",
        "p*t, point, true",
        "p*t, pointers, false",
        "poin?, point, true"
    })
    void patternIsAPartOfTheNameOrOfAllOfIt(String pattern, String name, boolean listed) {
        assertThat(rows(pattern, "--kind", "struct").stream().anyMatch(row -> row[2].equals(name)))
                .isEqualTo(listed);
    }

    @Test
    void backslashesInAPatternStandForThemselves() {
        CommandLineRun run = CommandLineRun.of("types", file, "a*\\E[");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).matches("offsetd: .*: none of its \\d+ named types matches\n");
    }

    @Test
    void kindSizeAndLanguageRestrictTheList() {
        List<String[]> rows = rows("--kind", "union", "--min-size", "8", "--lang", "c");

        assertThat(rows).isNotEmpty().allSatisfy(row -> {
            assertThat(row[0]).isEqualTo("union");
            assertThat(Long.parseLong(row[1])).isGreaterThanOrEqualTo(8);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"--lang rust", "no_such_type", "--kind class --json"})
    void noMatchIsOneLineAndExitCode1(String options) {
        CommandLineRun run = CommandLineRun.of(("types " + file + " " + options).split(" ", -1));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).matches("offsetd: .*: none of its \\d+ named types matches\n");
    }

    @Test
    void mistypedPatternGetsSuggestions() {
        assertThat(CommandLineRun.of("types", file, "pointrs").err()).endsWith("matches; did you mean pointers?\n");
    }

    @Test
    void largestAreFirst() {
        List<Long> sizes = rows("--sort", "size", "--min-size", "1").stream()
                .map(row -> Long.valueOf(row[1]))
                .toList();

        assertThat(sizes).isSortedAccordingTo(Comparator.reverseOrder()).hasSizeGreaterThan(5);
    }

    @Test
    void typesWithTheMostUnusedBytesAreFirst() {
        CommandLineRun run = CommandLineRun.of("types", file, "--sort", "holes", "--json");

        List<JsonNode> types = JsonMapper.shared()
                .readTree(run.out())
                .path("types")
                .valueStream()
                .toList();
        assertThat(types)
                .isSortedAccordingTo(Comparator.comparingLong(
                                (JsonNode type) -> type.path("unusedBytes").asLong(-1))
                        .reversed());
        assertThat(types)
                .filteredOn(type -> type.path("qualifiedName").asString().equals("nested"))
                .singleElement()
                .satisfies(type -> assertThat(type.path("unusedBytes").asLong()).isEqualTo(11));
    }

    @Test
    void nestedStructsAreExpandedWithOffsetsInTheOutermost() {
        CommandLineRun text = CommandLineRun.of("extract", file, "nested", "--expand", "1", "--format", "text");
        CommandLineRun table = CommandLineRun.of("extract", file, "nested", "-E", "1");
        CommandLineRun plain = CommandLineRun.of("extract", file, "nested");

        assertThat(text.out()).contains("""
                        struct inner {
                                short int          a;                   /*    16     2 */
                                /* XXX 6 bytes hole */
                                long int           b;                   /*    24     8 */
                        } inner;                                        /*    16    16 */
                """);
        assertThat(table.out()).containsPattern("(?m)^ +24 +8 +b +long int$");
        assertThat(plain.out()).doesNotContainPattern("(?m)^ +24 +8 +b +long int$");
    }

    @Test
    void expandedArraysShowTheirFirstElement() {
        CommandLineRun text = CommandLineRun.of("extract", file, "arrays", "--expand", "1", "--format", "text");

        assertThat(text.out()).contains("""
                        struct point {
                """);
    }

    @ParameterizedTest
    @CsvSource({
        "pointrs, did you mean pointers?",
        "pointers.opaqe, did you mean pointers.opaque?",
        "enumerator REDD, did you mean RED?",
        "symbol g_wid, did you mean g_wide?"
    })
    void mistypedItemGetsSuggestions(String item, String suggestion) {
        for (String format : List.of("table", "text", "c")) {
            assertThat(CommandLineRun.of("extract", file, item, "--format", format)
                            .out())
                    .contains(suggestion);
        }
        assertThat(CommandLineRun.of("extract", file, item, "--json").out()).contains("\"suggestions\":[");
    }

    @Test
    void identityIsInTheJsonOfTypesAndBuildId() {
        for (String command : List.of("types", "build-id")) {
            JsonNode identity = JsonMapper.shared()
                    .readTree(CommandLineRun.of(command, file, "--json").out())
                    .path("identity");
            assertThat(identity.path("fields").valueStream()).anySatisfy(field -> {
                assertThat(field.path("kind").asString()).isEqualTo("compiler");
                assertThat(field.path("value").asString()).isEqualTo("GCC");
                assertThat(field.path("source").asString()).isEqualTo("DW_AT_producer");
            });
        }
    }

    @Test
    void nameOfTheBuildIsForTerminals() {
        CommandLineRun terminal = CommandLineRun.onTerminal("build-id", file);
        CommandLineRun pipe = CommandLineRun.of("build-id", file);

        assertThat(terminal.err())
                .contains("offsetd: layout.debug, x86_64 (" + pipe.out().substring(0, 8) + ")");
        assertThat(terminal.out()).isEqualTo(pipe.out());
        assertThat(pipe.err()).isEmpty();
    }

    @Test
    void missingFileAndPackageAreNamedAsSuch() throws IOException {
        assertThat(CommandLineRun.of("types", file.replace("layout", "layuot")).err())
                .contains("no such file; did you mean " + file + "?");
        Path archive = folder.resolve("files.tar.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(archive))) {
            out.write(new byte[1024]);
        }
        assertThat(CommandLineRun.of("build-id", archive.toString()).err())
                .contains(
                        "expected an ELF file; this is compressed by gzip, and holds none (prewarm and push read packages)");
    }
}
