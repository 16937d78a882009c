package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStream;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.elf.SymbolFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

/** Files that answer as the ELF file with sections that they were made of. */
class FileFormsTests {

    private static final Path FIXTURES =
            Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling(".");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"gz", "xz", "zst"})
    void compressedModuleAnswersAsTheModule(String format) throws IOException, ExtractionException {
        byte[] module = Files.readAllBytes(object());
        Path compressed = Files.write(folder.resolve("x.ko." + format), compressed(module, format));

        assertThat(names(compressed)).isEqualTo(names(object())).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "xz", "zst"})
    void compressedModuleThatEndsTooEarlyIsMalformed(String format) throws IOException {
        byte[] whole = compressed(Files.readAllBytes(object()), format);
        Path cut = Files.write(folder.resolve("x.ko"), Arrays.copyOf(whole, whole.length / 2));

        assertThatThrownBy(() -> DebugInfo.open(cut).close())
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("stream is broken");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gz", "xz", "zst"})
    void aFewCompressedBytesDoNotFillTheDisk(String format) throws IOException {
        Path bomb = Files.write(folder.resolve("x.ko"), compressed(new byte[1 << 22], format));

        assertThatThrownBy(() -> DebugInfo.open(
                                bomb, new ReadOptions(Limits.DEFAULT.withMaxDecompressedBytes(1 << 20), 1))
                        .close())
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxDecompressedBytes");
    }

    /** A block of a byte may state a window of many megabytes. */
    @Test
    void xzOfManyBlocksTakesOneWindow() throws IOException, ExtractionException {
        byte[] module = Files.readAllBytes(object());
        Path compressed = Files.write(folder.resolve("x.ko"), inBlocks(module));
        Path inside = Files.write(
                folder.resolve("stripped.so"),
                new SymbolFile()
                        .debugData(inBlocks(new SymbolFile()
                                .linked("main", SymbolFile.GLOBAL_FUNC, 1, 0x1000, 16)
                                .toBytes()))
                        .toBytes());

        assertThat(HostileRun.answer("module", 256 << 20, () -> names(compressed)))
                .contains(names(object()));
        assertThat(HostileRun.answer("symbols", 256 << 20, () -> symbols(inside)))
                .contains(List.of("main 0x1000 16"));
    }

    /** Compresses the first bytes each in a block with a window of 16 MiB. */
    private static byte[] inBlocks(byte[] bytes) throws IOException {
        LZMA2Options options = new LZMA2Options();
        options.setMode(LZMA2Options.MODE_UNCOMPRESSED);
        options.setDictSize(16 << 20);
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        try (XZOutputStream out = new XZOutputStream(target, options)) {
            for (int i = 0; i < 500; i++) {
                out.write(bytes[i]);
                out.endBlock();
            }
            out.write(bytes, 500, bytes.length - 500);
        }
        return target.toByteArray();
    }

    /** Each header of a member may refer to the same long name. */
    @Test
    void namesOfManyMembersAreReadInLinearTime() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("!<arch>\n".getBytes(StandardCharsets.US_ASCII));
        byte[] longName = new byte[1 << 20];
        Arrays.fill(longName, (byte) 'x');
        member(out, "//", longName);
        for (int i = 0; i < 20_000; i++) {
            member(out, "/0", new byte[0]);
        }
        Path archive = Files.write(folder.resolve("lib.a"), out.toByteArray());

        assertThat(HostileRun.answer("archive", 256 << 20, () -> names(Path.of(archive + "(x.o)"))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"x.o", "the-name-of-an-object-file-that-is-long.o"})
    void memberOfAnArchiveAnswersAsItsFile(String member) throws IOException, ExtractionException {
        Path archive = Files.write(folder.resolve("lib.a"), archive());

        assertThat(names(Path.of(archive + "(" + member + ")"))).isEqualTo(names(object()));
    }

    @Test
    void memberThatTheArchiveHasNotIsToldWithThoseThatItHas() throws IOException {
        Path archive = Files.write(folder.resolve("lib.a"), archive());

        assertThatThrownBy(() -> DebugInfo.open(Path.of(archive + "(y.o)")).close())
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessage("archive: no member is named \"y.o\"; the first are \"x.o\","
                        + " \"the-name-of-an-object-file-that-is-long.o\"");
        assertThatThrownBy(() -> DebugInfo.open(archive).close())
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("name a member, such as lib.a(x.o)");
    }

    @Test
    void memberWhoseNameIsNotUniqueIsRefused() throws IOException {
        ByteArrayOutputStream twice = new ByteArrayOutputStream();
        twice.writeBytes(archive());
        member(twice, "x.o/", new byte[1]);
        Path archive = Files.write(folder.resolve("lib.a"), twice.toByteArray());

        assertThatThrownBy(() -> DebugInfo.open(Path.of(archive + "(x.o)")).close())
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("another member is named \"x.o\"; expected one");
    }

    @Test
    void thinArchiveIsNamed() throws IOException {
        Path archive = Files.writeString(folder.resolve("thin.a"), "!<thin>\n");

        assertThatThrownBy(() -> DebugInfo.open(Path.of(archive + "(x.o)")).close())
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageEndingWith("this is a thin ar archive; read the files that it refers to");
    }

    @Test
    void archiveWithABrokenHeaderIsMalformed() throws IOException {
        byte[] bytes = archive();
        bytes[8 + 48] = 'x';
        Path archive = Files.write(folder.resolve("lib.a"), bytes);

        assertThatThrownBy(() -> DebugInfo.open(Path.of(archive + "(x.o)")).close())
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("expected a number");
    }

    /** Both kinds of hash table, which alone tell how many symbols there are. */
    @ParameterizedTest
    @CsvSource({"sysv.so, none", "gnu.so, none", "sysv.so, cut", "gnu.so, cut", "gnu.so, stale", "gnu.so, zero"})
    void symbolsAndBuildIdAreReadWithoutSectionHeaders(String library, String headers)
            throws IOException, ExtractionException {
        byte[] whole = Files.readAllBytes(library(library));
        Path file = Files.write(folder.resolve(library), withoutSections(whole, headers));

        assertThat(symbols(file))
                .isEqualTo(symbols(library(library)))
                .contains("first@@V1 0x320 12", "second@@V2 0x32c 16");
        try (DebugInfo info = DebugInfo.open(file)) {
            assertThat(info.buildId()).contains(BuildId.parse("0102030405060708"));
            assertThat(info.identity().toString()).contains("libsmall.so.1");
        }
    }

    @ParameterizedTest
    @CsvSource({"32, LITTLE_ENDIAN", "32, BIG_ENDIAN", "64, LITTLE_ENDIAN", "64, BIG_ENDIAN"})
    void programHeadersAloneLeadToSymbolsAndBuildId(int bits, String order) throws IOException, ExtractionException {
        Path file = Files.write(
                folder.resolve("program"),
                programHeadersOnly(bits, order.equals("BIG_ENDIAN") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN));

        assertThat(symbols(file)).containsExactly("first 0x40 12");
        try (DebugInfo info = DebugInfo.open(file)) {
            assertThat(info.buildId()).contains(BuildId.parse("0102030405060708"));
            assertThat(info.architecture().bits()).isEqualTo(bits);
        }
    }

    /** Returns a library with one dynamic symbol, for s390 or x86. */
    private static byte[] programHeadersOnly(int bits, ByteOrder order) {
        boolean wide = bits == 64;
        boolean big = order == ByteOrder.BIG_ENDIAN;
        int word = bits / Byte.SIZE;
        int headerBytes = wide ? 64 : 52;
        int segmentBytes = wide ? 56 : 32;
        int at = headerBytes + 3 * segmentBytes;
        byte[] note = new BinaryWriter(order)
                .u32(4)
                .u32(8)
                .u32(3)
                .string("GNU")
                .bytes(new byte[] {1, 2, 3, 4, 5, 6, 7, 8})
                .toBytes();
        int strings = at + note.length;
        byte[] names = new BinaryWriter(order).u8(0).string("first").align(8).toBytes();
        int symbols = strings + names.length;
        BinaryWriter entries =
                new BinaryWriter(order).bytes(new byte[wide ? 24 : 16]).u32(1);
        entries = wide
                ? entries.u8(0x12).u8(0).u16(1).u64(0x40).u64(12)
                : entries.u32(0x40).u32(12).u8(0x12).u8(0).u16(1);
        int hash = symbols + entries.size();
        // The 64-bit s390 has entries of 64 bits.
        int hashWord = wide && big ? 8 : 4;
        BinaryWriter table = new BinaryWriter(order);
        for (int number : new int[] {1, 2, 1, 0, 0}) {
            table.integer(number, hashWord);
        }
        int dynamic = hash + table.size();
        BinaryWriter tags = new BinaryWriter(order);
        for (int number : new int[] {4, hash, 5, strings, 6, symbols, 10, names.length, 0, 0}) {
            tags.integer(number, word);
        }
        int end = dynamic + tags.size();

        BinaryWriter out = new BinaryWriter(order)
                .bytes((byte) 0x7f, (byte) 'E', (byte) 'L', (byte) 'F')
                .u8(wide ? 2 : 1)
                .u8(big ? 2 : 1)
                .u8(1)
                .align(16)
                .u16(3)
                .u16(big ? ElfWriter.EM_S390 : wide ? ElfWriter.EM_X86_64 : ElfWriter.EM_386)
                .u32(1)
                .integer(0, word)
                .integer(headerBytes, word)
                .integer(0, word)
                .u32(0)
                .u16(headerBytes)
                .u16(segmentBytes)
                .u16(3)
                .u16(0)
                .u16(0)
                .u16(0);
        int[][] segments = {{1, 0, end}, {2, dynamic, tags.size()}, {4, at, note.length}};
        for (int[] segment : segments) {
            out.u32(segment[0]);
            if (wide) {
                out.u32(5);
            }
            out.integer(segment[1], word).integer(segment[1], word).integer(0, word);
            out.integer(segment[2], word).integer(segment[2], word);
            if (!wide) {
                out.u32(5);
            }
            out.integer(4, word);
        }
        return out.bytes(note)
                .bytes(names)
                .bytes(entries.toBytes())
                .bytes(table.toBytes())
                .bytes(tags.toBytes())
                .toBytes();
    }

    @Test
    void reasonWhyTheSectionHeadersAreUnusableIsTheErrorOfAReadingOfTypes() throws IOException {
        Path file =
                Files.write(folder.resolve("cut.so"), withoutSections(Files.readAllBytes(library("gnu.so")), "cut"));

        assertThatThrownBy(() -> DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageStartingWith("elf header: e_shoff 0x");
    }

    /** The start of a longer file is not a program whose section headers were cut off. */
    @Test
    void programThatLacksLoadedBytesIsMalformed() throws IOException {
        byte[] whole = Files.readAllBytes(library("gnu.so"));
        Path file = Files.write(folder.resolve("start.so"), Arrays.copyOf(whole, 0x400));

        assertThatThrownBy(() -> DebugInfo.open(file).close())
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("e_shoff");
    }

    @Test
    void buildIdOfASegmentIsFoundIfNoSectionHasIt() throws IOException, ExtractionException {
        byte[] library = Files.readAllBytes(library("gnu.so"));
        ByteBuffer bytes = ByteBuffer.wrap(library).order(ByteOrder.LITTLE_ENDIAN);
        int headers = (int) bytes.getLong(40);
        for (int i = 0; i < bytes.getShort(60); i++) {
            int type = headers + 64 * i + 4;
            if (bytes.getInt(type) == 7) {
                bytes.putInt(type, 1);
            }
        }
        try (DebugInfo info = DebugInfo.open(Files.write(folder.resolve("no-note.so"), library))) {
            assertThat(info.buildId()).contains(BuildId.parse("0102030405060708"));
            assertThatThrownBy(() -> info.writeSlim(OutputStream.nullOutputStream()))
                    .isInstanceOf(UnsupportedInputException.class)
                    .hasMessageContaining("the build-id is in no section");
        }
    }

    @Test
    void buildIdOfFourBytesKeepsNoTypeFromBeingRead() throws IOException, ExtractionException {
        try (DebugInfo info = DebugInfo.open(form("four-bytes"))) {
            Struct struct = info.struct("SA").orElseThrow();
            assertThat(struct.byteSize()).isEqualTo(16);
            assertThat(struct.member("l").byteOffset()).isEqualTo(8);
            assertThat(info.buildId()).isEmpty();
        }
    }

    /** The linker appends the BTF of one object to that of the other. */
    @Test
    void programHasTheBtfOfEachOfItsObjects() throws IOException, ExtractionException {
        try (DebugInfo info = DebugInfo.open(form("two-btf"))) {
            assertThat(info.struct("SA").orElseThrow().member("l").byteOffset()).isEqualTo(8);
            assertThat(info.struct("SB").orElseThrow().member("d").byteOffset()).isEqualTo(8);
        }
    }

    @Test
    void rawBtfAnswersAndIsTheBaseOfAModule() throws IOException, ExtractionException {
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        assertThat(DebugInfo.read(form("raw.btf"), options, DebugInfo::extractAll)
                        .types()
                        .definitionsNamed("SA"))
                .singleElement()
                .satisfies(
                        definition -> assertThat(definition.shape().byteSize()).isEqualTo(32));
        assertThat(DebugInfo.read(form("mod.o"), options.withBaseBtf(form("raw.btf")), DebugInfo::extractAll)
                        .types()
                        .definitionsNamed("MOD"))
                .singleElement()
                .satisfies(
                        definition -> assertThat(definition.shape().byteSize()).isEqualTo(40));
    }

    /** Bazel and Chromium compile in the folder {@code .}. */
    @Test
    void unitsAreSearchedFromTheFoldersAboveTheProgram() throws IOException, ExtractionException {
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        assertThat(DebugInfo.read(form("bin/prog"), options.followingAnyPath(), DebugInfo::extractAll)
                        .types()
                        .definitionsNamed("S"))
                .hasSize(1);
        assertThatThrownBy(() -> DebugInfo.read(form("bin/prog"), options, DebugInfo::extractAll))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("\"obj/s.dwo\"");
    }

    private static Path form(String name) {
        return FIXTURES.resolve("file-forms").resolve(name);
    }

    private static Path object() {
        return FIXTURES.resolve("gcc12-dwarf5-relocatable/x86_64.o");
    }

    private static Path library(String name) {
        return FIXTURES.resolve("without-sections").resolve(name);
    }

    private static List<String> names(Path file) throws IOException, ExtractionException {
        return Answers.definitions(file).stream()
                .map(definition -> definition.qualifiedName() + " " + definition.shape())
                .toList();
    }

    private static List<String> symbols(Path file) throws IOException, ExtractionException {
        try (DebugInfo info = DebugInfo.open(file)) {
            return info.symbols().map(FileFormsTests::text).toList();
        }
    }

    private static String text(Symbol symbol) {
        return symbol.versionedName() + " 0x" + Long.toHexString(symbol.value()) + " " + symbol.size();
    }

    /**
     * @param how {@code none}: there are none; {@code cut}: the file ends before; {@code stale}: their number is 0;
     *     {@code zero}: so are their bytes
     */
    private static byte[] withoutSections(byte[] library, String how) {
        ByteBuffer bytes = ByteBuffer.wrap(library.clone()).order(ByteOrder.LITTLE_ENDIAN);
        int headers = (int) bytes.getLong(40);
        if (how.equals("cut")) {
            return Arrays.copyOf(bytes.array(), headers);
        }
        if (how.equals("zero")) {
            Arrays.fill(bytes.array(), headers, headers + 64 * bytes.getShort(60), (byte) 0);
            return bytes.array();
        }
        bytes.putShort(60, (short) 0);
        if (how.equals("none")) {
            bytes.putLong(40, 0).putShort(62, (short) 0);
        }
        return bytes.array();
    }

    private static byte[] compressed(byte[] bytes, String format) throws IOException {
        ByteArrayOutputStream target = new ByteArrayOutputStream();
        try (OutputStream out = switch (format) {
            case "gz" -> new GZIPOutputStream(target);
            case "xz" -> new XZOutputStream(target, new LZMA2Options(0));
            default -> new ZstdOutputStream(target);
        }) {
            out.write(bytes);
        }
        return target.toByteArray();
    }

    /** An archive with the object under a short and a long name, which GNU's ar puts into a table. */
    private static byte[] archive() throws IOException {
        byte[] object = Files.readAllBytes(object());
        byte[] longNames = "the-name-of-an-object-file-that-is-long.o/\n".getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("!<arch>\n".getBytes(StandardCharsets.US_ASCII));
        member(out, "//", longNames);
        member(out, "x.o/", object);
        member(out, "/0", object);
        return out.toByteArray();
    }

    private static void member(ByteArrayOutputStream out, String name, byte[] contents) {
        out.writeBytes("%-16s%-12s%-6s%-6s%-8s%-10s`\n"
                .formatted(name, "0", "0", "0", "644", contents.length)
                .getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(contents);
        if (contents.length % 2 != 0) {
            out.write('\n');
        }
    }
}
