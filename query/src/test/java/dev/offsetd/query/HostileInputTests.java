package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.extractor.testkit.SectionRanges;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.symbol.SearchBudget;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.symbol.SymbolTable;
import dev.offsetd.query.symbol.SymbolsWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real files, truncated and mutated with a fixed random seed. Reading one returns an answer or throws an {@link
 * ExtractionException}, in bounded time and memory ({@link HostileRun}).
 */
@ChecklistRow(1)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("long")
class HostileInputTests {

    private static final long SEED = 20_261_120;
    private static final List<String> KINDS = List.of(".debug", ".o", ".dwz", ".dwo", ".dwp");
    private static final int CUT_BYTES = 64;
    private static final int CHANGED_VARIANTS = 100;

    @TempDir
    private Path folder;

    /** Returns the fixtures of every kind: byte orders, DWARF versions, compression, BTF, relocatable files. */
    static List<Path> files() throws IOException {
        Path fixtures = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling(".");
        try (Stream<Path> files = Files.walk(fixtures)) {
            return files.filter(file -> KINDS.stream().anyMatch(file.toString()::endsWith))
                    .filter(HostileInputTests::isElf)
                    .map(Path::normalize)
                    .sorted()
                    .toList();
        }
    }

    /** Returns whether the file is ELF. Fixtures of other formats are rejected as a whole. */
    private static boolean isElf(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return Arrays.equals(in.readNBytes(4), new byte[] {0x7f, 'E', 'L', 'F'});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int cuts(byte[] file) {
        return (file.length + CUT_BYTES - 1) / CUT_BYTES;
    }

    @Test
    void variantsAreTenThousandOrMore() throws IOException {
        long variants = 0;
        for (Path file : files()) {
            variants += cuts(Files.readAllBytes(file)) + CHANGED_VARIANTS;
        }
        assertThat(variants).isGreaterThanOrEqualTo(10_000);
    }

    /** Reads the variant together with the fixture's supplementary file, if it has one. */
    private void requireSafe(Path fixture, byte[] variant, String what) throws IOException {
        Path file = Files.write(folder.resolve("variant"), variant);
        Path supplementary = fixture.resolveSibling("common.dwz");
        if (fixture.equals(supplementary)) {
            WholeReading.requireSafe(fixture.resolveSibling("layout.debug"), file, variant.length + 10_000, what);
        } else if (Files.exists(supplementary)) {
            WholeReading.requireSafe(file, supplementary, variant.length + 10_000, what);
        } else {
            WholeReading.requireSafe(file, variant.length, what);
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void fileCutAtEvery64thByteIsAnAnswerOrARefusal(Path fixture) throws IOException {
        byte[] whole = Files.readAllBytes(fixture);
        for (int cut = 0; cut < cuts(whole); cut++) {
            requireSafe(fixture, Arrays.copyOf(whole, cut * CUT_BYTES), "cut to " + cut * CUT_BYTES + " bytes");
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void fileWithChangedBytesIsAnAnswerOrARefusal(Path fixture) throws IOException {
        byte[] whole = Files.readAllBytes(fixture);
        SectionRanges ranges = SectionRanges.of(whole);
        Random random = new Random(SEED);
        for (int variant = 0; variant < CHANGED_VARIANTS; variant++) {
            byte[] changed = whole.clone();
            String changes = change(changed, ranges, random, variant);
            requireSafe(fixture, changed, changes);
            if (variant % 10 == 0) {
                WholeReading.requireSameOnTwoThreads(folder.resolve("variant"));
            }
        }
    }

    /** Changes some bytes: anywhere, in the section tables, in the abbreviations, or in the units. */
    private static String change(byte[] file, SectionRanges ranges, Random random, int variant) {
        int[] range = switch (variant % 5) {
            case 0 -> new int[] {0, file.length};
            case 1 -> random.nextInt(4) == 0 ? new int[] {0, 64} : ranges.sectionHeaders();
            case 2 -> ranges.section(".debug_abbrev", ".BTF");
            case 3 -> ranges.start(".debug_info", 64, ".BTF");
            default -> ranges.section(".debug_info", ".BTF");
        };
        StringBuilder changes = new StringBuilder();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            int at = range[0] + random.nextInt(Math.max(1, range[1] - range[0]));
            // A run of bytes with the highest bit set is a long LEB128; a run of 0xff is a large number in any form.
            int run = random.nextInt(4) == 0 ? 1 + random.nextInt(12) : 1;
            byte value = hostileByte(random);
            for (int byteAt = at; byteAt < Math.min(at + run, file.length); byteAt++) {
                file[byteAt] = value;
            }
            changes.append(' ')
                    .append(run)
                    .append(" bytes at ")
                    .append(at)
                    .append('=')
                    .append(HexFormat.of().toHexDigits(value));
        }
        return changes.toString();
    }

    /** Returns a byte of the kinds that break parsers most often: zeros, ones, sign bits and range limits. */
    private static byte hostileByte(Random random) {
        byte[] favourites = {0, 1, 0x7f, (byte) 0x80, (byte) 0xff, (byte) 0xfe, 0x16, 0x21, 0x1e, 0x20};
        return random.nextBoolean() ? favourites[random.nextInt(favourites.length)] : (byte) random.nextInt(256);
    }

    /** Sixty structs, each with two members of the previous one: 2^60 members unless the reader shares types. */
    @Test
    void typesHeldTwiceDoNotMultiply() throws IOException {
        List<Part> dies = new ArrayList<>();
        dies.add(baseType("s0", 4, DW_ATE_signed));
        for (int i = 1; i <= 60; i++) {
            String before = "s" + (i - 1);
            dies.add(struct("s" + i, 8, member("left", before, 0), member("right", before, 4)));
        }
        byte[] file = DwarfWriter.write(DwarfStyle.DEFAULT, unit(dies.toArray(Part[]::new)))
                .toElf()
                .toBytes();
        WholeReading.requireSafe(Files.write(folder.resolve("file"), file), file.length, "types held twice");
    }

    /** Blobs from the database are untrusted as well: reading one returns an answer or reports corruption. */
    @Test
    void changedCatalogueIsAnAnswerOrCorrupt() throws IOException, ExtractionException {
        byte[] blob = CatalogueWriter.encode(DebugInfo.read(
                        Fixture.named("gcc12-dwarf5-x86_64-el").debugFile(),
                        new ReadOptions(Limits.DEFAULT, 1),
                        DebugInfo::extractAll)
                .types());
        requireAnswerOrCorrupt(blob, changed -> {
            StoredCatalogue stored = StoredCatalogue.of(changed);
            assertThat(stored.definitionsNamed("nested")).isNotNull();
            assertThat(stored.enumeratorsNamed("GREEN")).isNotNull();
            stored.forEachTypeName("", name -> {
                assertThat(stored.summary(name).kinds()).isNotNull();
                return true;
            });
        });
    }

    @Test
    void changedSymbolsAreAnAnswerOrCorrupt() throws IOException, ExtractionException {
        SymbolReport report = DebugInfo.read(
                Fixture.named("gcc12-dwarf5-x86_64-el").debugFile(),
                new ReadOptions(Limits.DEFAULT, 1),
                DebugInfo::symbolTables);
        requireAnswerOrCorrupt(SymbolsWriter.encode(SymbolTable.of(report)), changed -> {
            StoredSymbols stored = StoredSymbols.of(changed);
            assertThat(stored.find(SymbolPattern.of("*"))).isNotNull();
            assertThat(stored.findFamily(SymbolPattern.of("main"))).isNotNull();
            assertThat(stored.at(0x1000)).isNotNull();
            assertThat(stored.aliasesOf("variable", SearchBudget.unlimited())).isNotNull();
        });
    }

    private static void requireAnswerOrCorrupt(byte[] blob, Consumer<byte[]> queries) {
        Random random = new Random(SEED);
        int corrupt = 0;
        for (int variant = 0; variant < 2_000; variant++) {
            byte[] changed = variant % 2 == 0 ? Arrays.copyOf(blob, random.nextInt(blob.length)) : blob.clone();
            for (int i = 0; i < variant % 4 && changed.length > 0; i++) {
                changed[random.nextInt(variant % 3 == 0 ? Math.min(changed.length, 24) : changed.length)] =
                        hostileByte(random);
            }
            try {
                queries.accept(changed);
            } catch (CorruptBlobException e) {
                assertThat(e.getMessage()).startsWith("stored blob: ");
                corrupt++;
            }
        }
        assertThat(corrupt).isGreaterThan(1_000);
    }
}
