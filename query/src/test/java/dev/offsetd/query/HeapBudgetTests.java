package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.HugeFile;
import dev.offsetd.query.store.BlobTooLargeException;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.FramesWriter;
import dev.offsetd.query.symbol.SymbolTable;
import dev.offsetd.query.symbol.SymbolsWriter;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Budget for the memory retained for a file, whatever the file contains many of. */
@Tag("long")
class HeapBudgetTests {

    private static final int SMALL_HEAP_MEBIBYTES = 48;

    @TempDir
    private Path folder;

    private static void read(Path file, HeapBudget budget) throws IOException, ExtractionException {
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1).withBudget(budget);
        CatalogueWriter.encode(
                DebugInfo.read(file, options, DebugInfo::extractAll).types());
        SymbolReport symbols = DebugInfo.read(file, options, DebugInfo::symbolTables);
        SymbolsWriter.encode(SymbolTable.of(symbols));
    }

    /** The kinds in {@link HugeFile#OF_CODE} take memory that is released with each unit. */
    static Set<HugeFile> filesThatAreKept() {
        Set<HugeFile> kinds = EnumSet.complementOf(EnumSet.copyOf(HugeFile.OF_CODE));
        kinds.remove(HugeFile.TEMPLATE_PARAMETERS);
        // Two thousand of them are too large to store.
        kinds.remove(HugeFile.ENDS_OF_A_RANDOM_NAME);
        return kinds;
    }

    @ParameterizedTest
    @MethodSource("filesThatAreKept")
    @ChecklistRow(2)
    void whateverAFileHasManyOfIsCounted(HugeFile kind) throws IOException, ExtractionException {
        Path file = kind.write(2_000).writeTo(folder.resolve("file"));
        HeapBudget enough = new HeapBudget(1L << 40);
        read(file, enough);

        long needed = enough.keptBytes();
        // This is far more than the initial tables of any reading.
        assertThat(needed).isGreaterThan(2_000 * 75L);
        assertThatThrownBy(() -> read(file, new HeapBudget(needed / 2)))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo("maxKeptBytes"))
                .hasMessageContaining("a larger -Xmx raises the limit");
    }

    /** The JVM has one byte per character only if all characters of a text are Latin. */
    @Test
    void widerCharactersCountForMore() throws IOException, ExtractionException {
        int names = 500;
        int length = 1_000;
        assertThat(keptForNames(names, "x".repeat(length - 1) + "\u0436") - keptForNames(names, "x".repeat(length)))
                .isGreaterThan(names * length / 2);
    }

    private long keptForNames(int count, String start) throws IOException, ExtractionException {
        HeapBudget budget = new HeapBudget(1L << 40);
        Part[] structs =
                IntStream.range(0, count).mapToObj(i -> struct(start + i, 4)).toArray(Part[]::new);
        DebugInfo.read(
                DwarfWriter.write(DwarfStyle.DEFAULT, unit("unit.cc", DW_LANG_C_plus_plus_14, structs))
                        .writeTo(folder.resolve("file")),
                new ReadOptions(Limits.DEFAULT, 1).withBudget(budget),
                DebugInfo::extractAll);
        return budget.keptBytes();
    }

    @Test
    void childrenThatAreNotReadCostNothing() throws IOException, ExtractionException {
        HeapBudget budget = new HeapBudget(1 << 20);
        read(HugeFile.TEMPLATE_PARAMETERS.write(100_000).writeTo(folder.resolve("file")), budget);
        assertThat(budget.keptBytes()).isLessThan(1 << 20);
    }

    /** Large C++ programs repeat their headers in each unit. Memory that is released with a unit no longer counts. */
    @Test
    void whatUnitsRepeatIsCountedOnce() throws IOException, ExtractionException {
        String longName = "Shared<" + "std::vector<int>, ".repeat(30) + "void>";
        List<Unit> units = IntStream.range(0, 400)
                .mapToObj(i -> unit(
                        "unit" + i + ".cc",
                        DW_LANG_C_plus_plus_14,
                        die(DW_TAG_base_type, label("int" + i), name("int"), byteSize(4), encoding(DW_ATE_signed)),
                        die(
                                DW_TAG_namespace,
                                Stream.concat(
                                                Stream.generate(() -> die(DW_TAG_subprogram, die(DW_TAG_lexical_block)))
                                                        .limit(700),
                                                Stream.of(
                                                        die(
                                                                DW_TAG_structure_type,
                                                                name(longName),
                                                                byteSize(4),
                                                                label("shared" + i),
                                                                member("x", "int" + i, 0)),
                                                        struct("Own" + i, 4, member("shared", "shared" + i, 0))))
                                        .toArray(Part[]::new))))
                .toList();
        HeapBudget budget = new HeapBudget(1L << 40);
        DebugInfo.read(
                DwarfWriter.write(DwarfStyle.DEFAULT, units.toArray(Unit[]::new))
                        .writeTo(folder.resolve("file")),
                new ReadOptions(Limits.DEFAULT, 1).withBudget(budget),
                DebugInfo::extractAll);
        assertThat(budget.keptBytes() / units.size()).isBetween(500L, 12_000L);
    }

    /** Runs in a separate JVM, whose heap the file would exceed many times over. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "TEMPLATE_PARAMETERS")
    @Timeout(120)
    @ChecklistRow(2)
    void smallHeapRefusesAHugeFileAndIsNotExhausted(HugeFile kind) throws IOException, InterruptedException {
        int count = switch (kind) {
            case ENDS_OF_A_NAME -> 6_000;
            // They are within the budget, but their copies in the writer are not.
            case ENUMERATORS_OF_ENDS -> 4_600;
            case ENDS_OF_A_RANDOM_NAME -> 80;
            case DIMENSIONS -> 500_000;
            case ABBREVIATIONS -> 300_000;
            default -> 160_000;
        };
        Path file = kind.write(count).writeTo(folder.resolve("file"));
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx" + SMALL_HEAP_MEBIBYTES + "m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Reader.class.getName(),
                        file.toString(),
                        String.valueOf(HugeFile.OF_CODE.contains(kind))))
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(output.toFile()))
                .start();
        assertThat(process.waitFor(110, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(output)).contains("limit maxKeptBytes of ").doesNotContain("OutOfMemoryError");
    }

    /** The main class of the separate JVM. */
    static final class Reader {

        private Reader() {}

        public static void main(String... arguments) throws IOException {
            // The same share of the heap as on a server.
            HeapBudget budget = new HeapBudget(Runtime.getRuntime().maxMemory() / 10 * 6);
            Path file = Path.of(arguments[0]);
            try {
                if (Boolean.parseBoolean(arguments[1])) {
                    ReadOptions options = new ReadOptions(Limits.DEFAULT, 1).withBudget(budget);
                    FramesWriter.encode(DebugInfo.read(file, options, DebugInfo::allFrames));
                } else {
                    read(file, budget);
                }
                System.out.println("read");
            } catch (ExtractionException e) {
                System.out.println(e.getMessage());
            } catch (BlobTooLargeException e) {
                System.out.println(e.ofFile().getMessage());
            }
        }
    }
}
