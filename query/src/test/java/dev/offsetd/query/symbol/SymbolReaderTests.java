package dev.offsetd.query.symbol;

import static dev.offsetd.extractor.elf.SymbolFile.GLOBAL_FUNC;
import static dev.offsetd.extractor.elf.SymbolFile.GLOBAL_OBJECT;
import static dev.offsetd.extractor.elf.SymbolFile.LOCAL_FILE;
import static dev.offsetd.extractor.elf.SymbolFile.LOCAL_FUNC;
import static dev.offsetd.extractor.elf.SymbolFile.LOCAL_SECTION;
import static dev.offsetd.extractor.elf.SymbolFile.SHN_ABS;
import static dev.offsetd.extractor.elf.SymbolFile.SHN_XINDEX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.elf.SymbolFile;
import dev.offsetd.extractor.elf.SymbolReader;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.Omission.Cause;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.omission.OmissionLog;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Symbol tables of every class and byte order, written by hand. */
class SymbolReaderTests {

    private static final long SEED = 20_261_121;
    private static final int VARIANTS = 2_500;

    static Stream<Arguments> formats() {
        return Stream.of(32, 64)
                .flatMap(bits -> Stream.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)
                        .map(order -> Arguments.of(bits, order)));
    }

    private static ElfFile elf(byte... bytes) throws ExtractionException {
        // Nothing in these files is decompressed into the arena, so it never holds anything.
        return ElfFile.read(MemorySegment.ofArray(bytes), Arena.global(), Limits.DEFAULT);
    }

    private static SymbolTable read(byte[] bytes, Limits limits) throws ExtractionException {
        return read(bytes, limits, new OmissionLog(new HeapBudget(limits.maxKeptBytes())));
    }

    private static SymbolTable read(byte[] bytes, Limits limits, OmissionLog omissions) throws ExtractionException {
        ElfFile elf = elf(bytes);
        HeapBudget heap = new HeapBudget(limits.maxKeptBytes());
        return SymbolTable.of(
                SymbolReader.read(elf, limits, heap, new Deadline(limits), omissions),
                elf.symbolValues(),
                null,
                List.of());
    }

    /** Requires the symbols of the other tables, and returns the one table that was left out. */
    private static Omission leftOut(byte[] bytes, String... others) throws ExtractionException {
        OmissionLog omissions = new OmissionLog(new HeapBudget(Limits.DEFAULT.maxKeptBytes()));
        assertThat(read(bytes, Limits.DEFAULT, omissions).symbols())
                .extracting(Symbol::name)
                .containsExactly(others);
        assertThat(omissions.omissions()).hasSize(1);
        Omission omission = omissions.omissions().getFirst();
        assertThat(omission.part()).isEqualTo(Part.SYMBOL_TABLE);
        assertThat(omission.count()).isEqualTo(1);
        return omission;
    }

    private static List<Omission> omissions(byte... bytes) throws ExtractionException {
        OmissionLog omissions = new OmissionLog(new HeapBudget(Limits.DEFAULT.maxKeptBytes()));
        read(bytes, Limits.DEFAULT, omissions);
        return omissions.omissions();
    }

    private static void assertDamaged(Omission omission, String... place) {
        assertThat(omission.cause()).isEqualTo(Cause.DAMAGED);
        assertThat(omission.places().getFirst()).contains(place);
    }

    private static SymbolTable read(SymbolFile file) throws ExtractionException {
        return read(file.toBytes(), Limits.DEFAULT);
    }

    private static List<String> lines(SymbolTable table) {
        return table.symbols().stream()
                .map(symbol -> "%x %d %s %s %s %s %s"
                        .formatted(
                                symbol.value(),
                                symbol.size(),
                                symbol.type(),
                                symbol.binding(),
                                symbol.section().name(),
                                symbol.versionedName(),
                                sources(symbol)))
                .toList();
    }

    private static String sources(Symbol symbol) {
        return symbol.sources().stream()
                .map(source -> source.table().sectionName())
                .collect(Collectors.joining(","));
    }

    private static List<String> at(SymbolTable table, long address) {
        return StoredSymbols.of(table).at(address).stream()
                .map(SymbolAt::symbol)
                .map(Symbol::name)
                .toList();
    }

    private static SymbolFile everything(int bits, ByteOrder order) {
        return new SymbolFile(bits, order)
                .linked("a@b.c", LOCAL_FILE, SHN_ABS, 0, 0)
                .linked("", LOCAL_SECTION, 1, 0x1000, 0)
                .linked("copy@OLD", GLOBAL_FUNC, 1, 0x1000, 16)
                .linked("plain", GLOBAL_FUNC, SHN_XINDEX, 0x1100, 8)
                .linked("wanted@@OTHER", GLOBAL_FUNC, 0, 0, 0)
                .linked("shared", GLOBAL_FUNC, 1, 0x1300, 4)
                .linked("twice", LOCAL_FUNC, 1, 0x1500, 4)
                .linked("twice", LOCAL_FUNC, 1, 0x1500, 4)
                .dynamic("wanted", 4, 0, 0, 0)
                .dynamic("copy", 0x8002, 1, 0x1000, 16)
                .dynamic("copy", 3, 1, 0x1200, 16)
                .dynamic("shared", 3, 1, 0x1300, 4)
                .dynamic("NEW", GLOBAL_OBJECT, 3, SHN_ABS, 0, 0)
                .dynamic("without", 1, 1, 0x1400, 4);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void bothTablesAreOneListWithVersionsOfBoth(int bits, ByteOrder order) throws ExtractionException {
        assertThat(lines(read(everything(bits, order))))
                .containsExactly(
                        "0 0 FILE LOCAL ABS a@b.c .symtab",
                        "1000 0 SECTION LOCAL .text .text .symtab",
                        "1000 16 FUNC GLOBAL .text copy@OLD .symtab,.dynsym",
                        "1100 8 FUNC GLOBAL .text plain .symtab",
                        "0 0 FUNC GLOBAL UND wanted@OTHER .symtab,.dynsym",
                        "1300 4 FUNC GLOBAL .text shared@@NEW .symtab,.dynsym",
                        "1500 4 FUNC LOCAL .text twice .symtab",
                        "1500 4 FUNC LOCAL .text twice .symtab",
                        "1200 16 FUNC GLOBAL .text copy@@NEW .dynsym",
                        "0 0 OBJECT GLOBAL ABS NEW .dynsym",
                        "1400 4 FUNC GLOBAL .text without .dynsym");
    }

    @Test
    void entriesThatDifferInAnythingAreTwoSymbols() throws ExtractionException {
        SymbolFile file = new SymbolFile()
                .linked("size", GLOBAL_FUNC, 1, 0x1000, 8)
                .linked("kind", GLOBAL_OBJECT, 1, 0x1000, 8)
                .linked("version@OLD", GLOBAL_FUNC, 1, 0x1000, 8)
                .dynamic("size", 1, 1, 0x1000, 16)
                .dynamic("kind", 1, 1, 0x1000, 8)
                .dynamic("version", 3, 1, 0x1000, 8);

        assertThat(read(file).symbols()).hasSize(6);
    }

    @Test
    void thumbFunctionBeginsAtTheEvenAddress() throws ExtractionException {
        int armMachine = 40;
        SymbolFile file = new SymbolFile(32, ByteOrder.LITTLE_ENDIAN)
                .machine(armMachine)
                .linked("thumb", GLOBAL_FUNC, 1, 0x1001, 8)
                .linked("data", GLOBAL_OBJECT, 1, 0x1011, 2);
        SymbolTable table = read(file);

        assertThat(table.symbols().getFirst().value()).isEqualTo(0x1001);
        assertThat(StoredSymbols.of(table).at(0x1000))
                .extracting(SymbolAt::offset)
                .containsExactly(0L);
        assertThat(at(table, 0x1007)).containsExactly("thumb");
        assertThat(at(table, 0x1008)).isEmpty();
        assertThat(at(table, 0x1010)).isEmpty();
        assertThat(at(table, 0x1011)).containsExactly("data");
    }

    @Test
    void relocatableFileHasNoAddresses() throws ExtractionException {
        SymbolFile linked = everything(64, ByteOrder.LITTLE_ENDIAN);
        SymbolFile relocatable = everything(64, ByteOrder.LITTLE_ENDIAN).relocatable();

        assertThat(at(read(linked), 0x1100)).containsExactly("plain");
        assertThat(at(read(relocatable), 0x1100)).isEmpty();
    }

    @Test
    void fileWithoutTablesHasNoSymbols() throws ExtractionException {
        byte[] bytes =
                new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).noBits(".dynsym", 48).toBytes();

        assertThat(read(bytes, Limits.DEFAULT).symbols()).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("formats")
    void threadLocalStorageOfAProgramHasItsBytesInTheFile(int bits, ByteOrder order) throws ExtractionException {
        ElfWriter program = new ElfWriter(bits, order)
                .loaded(".tdata", 0x3000, new byte[32])
                .tlsSegment(0x3000, 0x20, 0x80, 8);

        assertThat(elf(program.toBytes()).tlsSegment()).hasValueSatisfying(tls -> {
            assertThat(tls.address()).isEqualTo(0x3000);
            assertThat(tls.fileSize()).isEqualTo(0x20);
            assertThat(tls.memorySize()).isEqualTo(0x80);
            assertThat(tls.alignment()).isEqualTo(8);
        });
        assertThat(elf(new ElfWriter(bits, order).toBytes()).tlsSegment()).isEmpty();
    }

    @Test
    void debugFileDoesNotSayHowMuchOfTheThreadLocalStorageIsInTheProgram() throws ExtractionException {
        ElfWriter debugFile = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(new byte[8])
                .noBits(".tdata", 32)
                .tlsSegment(0x3000, 0, 0x80, 8);

        assertThat(elf(debugFile.toBytes()).tlsSegment()).hasValueSatisfying(tls -> {
            assertThat(tls.fileSize()).isNull();
            assertThat(tls.memorySize()).isEqualTo(0x80);
        });
    }

    @Test
    void programHeadersOutsideTheFileAreMalformed() throws ExtractionException {
        byte[] bytes = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .tlsSegment(0, 0, 0, 0)
                .toBytes();
        Arrays.fill(bytes, 32, 39, (byte) 0xff);
        ElfFile elf = elf(bytes);

        assertThatThrownBy(elf::tlsSegment).isInstanceOf(MalformedInputException.class);
    }

    /** Symbol tables as strip leaves them on some machines, and as rewriters and obfuscators do. */
    @Test
    void symbolOfASectionThatTheFileHasNotIsInNone() throws ExtractionException {
        SymbolTable table =
                read(new SymbolFile().linked("lost", GLOBAL_FUNC, 77, 0x10, 0).linked("kept", GLOBAL_FUNC, 1, 0x20, 0));

        assertThat(table.symbols())
                .extracting(Symbol::name, symbol -> symbol.section().name(), Symbol::isPlace)
                .containsExactlyInAnyOrder(tuple("lost", "?", false), tuple("kept", ".text", true));
    }

    /** An index of 0xffff stands for one in a section that this file has not. */
    @Test
    void symbolWhoseSectionIsInAMissingListIsInNone() throws ExtractionException {
        SymbolTable table = read(new SymbolFile()
                .dynamic("lost", 1, SymbolFile.SHN_XINDEX, 0x10, 0)
                .dynamic("kept", 1, 1, 0x20, 0));

        assertThat(table.symbols())
                .extracting(Symbol::name, symbol -> symbol.section().name(), Symbol::isPlace)
                .containsExactlyInAnyOrder(tuple("lost", "?", false), tuple("kept", ".text", true));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 7, 16, 25})
    void tableWithAnotherSizeOfAnEntryIsLeftOut(int entryBytes) throws ExtractionException {
        SymbolFile file = new SymbolFile()
                .linked("f", GLOBAL_FUNC, 1, 0, 0)
                .linkedEntryBytes(entryBytes)
                .dynamic("exported", 1, 1, 0x1000, 4);

        assertDamaged(leftOut(file.toBytes(), "exported"), "sh_entsize is " + entryBytes, "expected 24");
    }

    @ParameterizedTest
    @ValueSource(ints = {77, -1})
    void tableWhoseNamesAreInAMissingSectionIsLeftOut(int section) throws ExtractionException {
        SymbolFile file = new SymbolFile()
                .linked("f", GLOBAL_FUNC, 1, 0, 0)
                .linkedStrings(section)
                .dynamic("exported", 1, 1, 0x1000, 4);

        assertDamaged(leftOut(file.toBytes(), "exported"), "sh_link is " + Integer.toUnsignedString(section));
    }

    @Test
    void symbolWhoseNameIsOutsideTheStringTableHasNone() throws ExtractionException {
        SymbolFile file = new SymbolFile()
                .linkedAt(1 << 20, 1)
                .linked("f", GLOBAL_FUNC, 1, 0, 0)
                .linkedAt(1 << 21, 1);

        assertThat(read(file).symbols()).extracting(Symbol::name).containsExactlyInAnyOrder("", "f", "");
    }

    @Test
    void namesOutsideTheStringTableAreCountedAsDamage() throws IOException, ExtractionException {
        byte[] bytes = new SymbolFile()
                .linkedAt(1 << 20, 1)
                .linked("f", GLOBAL_FUNC, 1, 0, 0)
                .linkedAt(1 << 21, 2)
                .toBytes();

        for (byte[] file : List.of(bytes, withDebugData(xz(bytes)))) {
            assertThat(omissions(file)).singleElement().satisfies(omission -> {
                assertThat(omission.part()).isEqualTo(Part.SYMBOL);
                assertThat(omission.count()).isEqualTo(3);
                assertDamaged(omission, ".strtab+0x100000");
            });
        }
    }

    /** Debian's libraries for m68k have these, and so has each copy of such a file. */
    @Test
    void staleSectionsAndUnknownVersionsAreNoDamage() throws ExtractionException {
        SymbolFile file = new SymbolFile()
                .linked("stale", GLOBAL_FUNC, 77, 0x10, 0)
                .dynamic("without", 9, 1, 0x20, 0)
                .dynamic("missing list", 1, SHN_XINDEX, 0x30, 0);

        assertThat(omissions(file.toBytes())).isEmpty();
    }

    @Test
    void symbolOfAnUndefinedVersionHasNone() throws ExtractionException {
        SymbolTable table = read(new SymbolFile().dynamic("lost", 9, 1, 0, 0));

        assertThat(table.symbols()).extracting(Symbol::versionedName).containsExactly("lost");
    }

    @Test
    void symbolsAreThereWhoseVersionsCannotBeRead() throws ExtractionException {
        BinaryWriter backwards = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        backwards.u16(1).u16(0).u16(2).u16(1).u32(0).u32(20).u32(4).bytes(new byte[40]);
        BinaryWriter overlapping = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        overlapping.u16(1).u16(3).u32(0).u32(32).u32(16);
        overlapping.u16(1).u16(3).u32(0).u32(16).u32(0);
        for (int next : new int[] {16, 16, 0}) {
            overlapping.u32(0).u16(0).u16(4).u32(0).u32(next);
        }
        SymbolFile definitions = new SymbolFile().dynamic("f", 1, 1, 0, 0).definitions(backwards);
        SymbolFile needs = new SymbolFile().dynamic("f", 1, 1, 0, 0).needs(overlapping);

        for (SymbolFile file : List.of(definitions, needs)) {
            assertThat(read(file).symbols()).extracting(Symbol::versionedName).containsExactly("f");
        }
    }

    @Test
    void severalTablesOfAKindAreLeftOutAsUnsupported() throws ExtractionException {
        byte[] bytes = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".symtab", 2, 1, 0, 24, new byte[24])
                .section(".symtab2", 2, 1, 0, 24, new byte[24])
                .toBytes();

        Omission omission = leftOut(bytes);
        assertThat(omission.cause()).isEqualTo(Cause.UNSUPPORTED);
        assertThat(omission.places().getFirst()).contains("sections 1 and 2 are both of type 0x2");
    }

    @Test
    void symbolsAndTheirNamesAreLimited() throws ExtractionException {
        byte[] bytes = everything(64, ByteOrder.LITTLE_ENDIAN).toBytes();
        int entries = 9 + 7;

        assertThat(read(bytes, Limits.DEFAULT.withMaxSymbols(entries)).symbols())
                .isNotEmpty();
        assertThatThrownBy(() -> read(bytes, Limits.DEFAULT.withMaxSymbols(entries - 1)))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxSymbols of 15");
        assertThatThrownBy(() -> read(bytes, Limits.DEFAULT.withMaxSymbolNameBytes(20)))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxSymbolNameBytes of 20");
    }

    @Test
    void nameThatManySymbolsShareIsCountedOnce() throws ExtractionException {
        SymbolFile file = new SymbolFile().linkedAt(1, 1_000);

        SymbolTable table = read(file.toBytes(), Limits.DEFAULT.withMaxSymbolNameBytes(50));

        assertThat(StoredSymbols.of(table).find(SymbolPattern.of("libtest.so"))).hasSize(1_000);
        assertThat(table.symbols())
                .allSatisfy(symbol -> assertThat(symbol.name())
                        .isSameAs(table.symbols().getFirst().name()));
    }

    @Test
    void readerStopsWhenItMayNotGoOn() {
        byte[] bytes = everything(64, ByteOrder.LITTLE_ENDIAN).toBytes();

        assertThatThrownBy(() -> SymbolReader.read(
                        elf(bytes),
                        Limits.DEFAULT,
                        new HeapBudget(Limits.DEFAULT.maxKeptBytes()),
                        Deadline.afterChecks(0),
                        new OmissionLog(new HeapBudget(Limits.DEFAULT.maxKeptBytes()))))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxDuration");
    }

    private static byte[] xz(byte... contents) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        LZMA2Options options = new LZMA2Options();
        options.setDictSize(1 << 16);
        try (XZOutputStream xz = new XZOutputStream(out, options)) {
            xz.write(contents);
        }
        return out.toByteArray();
    }

    private static byte[] withDebugData(byte... stream) {
        return new SymbolFile()
                .dynamic("exported", 3, 1, 0x1000, 4)
                .debugData(stream)
                .toBytes();
    }

    @Test
    void compressedFileInsideAddsItsSymbols() throws IOException, ExtractionException {
        byte[] inner = new SymbolFile()
                .linked("inside", LOCAL_FUNC, 1, 0x1010, 8)
                .linked("exported", GLOBAL_FUNC, 1, 0x1000, 4)
                .toBytes();

        SymbolTable table = read(withDebugData(xz(inner)), Limits.DEFAULT);

        assertThat(lines(table))
                .containsExactly(
                        "1000 4 FUNC GLOBAL .text exported@@NEW .dynsym,.gnu_debugdata",
                        "1010 8 FUNC LOCAL .text inside .gnu_debugdata");
    }

    @Test
    void brokenCompressedFileIsLeftOut() throws IOException, ExtractionException {
        byte[] cut = Arrays.copyOf(xz(new SymbolFile().toBytes()), 80);
        byte[] otherMachine = xz(new SymbolFile(32, ByteOrder.LITTLE_ENDIAN).toBytes());
        byte[] inner = new SymbolFile().linkedStrings(77).toBytes();

        assertDamaged(leftOut(withDebugData(new byte[40]), "exported"), ".gnu_debugdata+0x", ": xz stream is broken: ");
        assertDamaged(
                leftOut(withDebugData(cut), "exported"), ".gnu_debugdata+0x50: xz stream is broken: it ends too early");
        assertDamaged(
                leftOut(withDebugData(xz(new byte[100])), "exported"),
                ".gnu_debugdata: the file in it is broken: elf header+0x0: ");
        assertDamaged(
                leftOut(withDebugData(xz(inner)), "exported"),
                ".gnu_debugdata: the file in it is broken: .symtab: sh_link is 77");
        assertDamaged(leftOut(withDebugData(otherMachine), "exported"), "holds a file for i386; expected x86_64");
    }

    @Test
    void compressedFileIsLimitedInBytesAndInMemoryToReadIt() throws IOException {
        byte[] bomb = withDebugData(xz(new byte[4 << 20]));
        Limits limits = Limits.DEFAULT.withMaxMiniDebugInfoBytes(1 << 20);
        Limits little = Limits.DEFAULT.withMaxMiniDebugInfoBytes(1 << 15);

        assertThatThrownBy(() -> read(bomb, limits))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxMiniDebugInfoBytes of 1048576 exceeded (the xz stream holds more)");
        assertThatThrownBy(() -> read(bomb, little))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxMiniDebugInfoBytes of 32768 exceeded (decompressing takes ");
    }

    @ParameterizedTest
    @MethodSource("formats")
    void changedFilesAreAnAnswerOrARefusal(int bits, ByteOrder order) {
        assertChangedFilesAreAnswersOrRefusals(everything(bits, order).toBytes());
    }

    @Test
    void changedCompressedFilesAreAnAnswerOrARefusal() throws IOException {
        assertChangedFilesAreAnswersOrRefusals(
                withDebugData(xz(everything(64, ByteOrder.LITTLE_ENDIAN).toBytes())));
    }

    private static void assertChangedFilesAreAnswersOrRefusals(byte[] whole) {
        Random random = new Random(SEED);
        int answers = 0;
        for (int variant = 0; variant < VARIANTS; variant++) {
            byte[] changed = Arrays.copyOf(whole, variant % 4 == 0 ? random.nextInt(whole.length) : whole.length);
            for (int i = 0; i < 4 && changed.length > 0; i++) {
                changed[random.nextInt(changed.length)] = (byte) (random.nextBoolean() ? 0xff : random.nextInt(256));
            }
            answers += assertAnswerOrRefusal(changed) ? 1 : 0;
        }
        assertThat(answers).isBetween(1, VARIANTS - 1);
    }

    private static boolean assertAnswerOrRefusal(byte[] bytes) {
        try {
            SymbolTable table = read(bytes, Limits.DEFAULT);
            StoredSymbols stored = StoredSymbols.of(table);
            assertThat(stored.find(SymbolPattern.of("*"))).hasSameSizeAs(table.symbols());
            table.symbols().forEach(symbol -> stored.at(symbol.value()));
            return true;
        } catch (ExtractionException e) {
            assertThat(e.getMessage()).isNotBlank().doesNotContain("\n");
            return false;
        }
    }
}
