package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.elf.CoreFile;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.Fixture;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** ELF files of every class, byte order and wrapping, and files that are not ELF. */
class ElfInputTests {

    private static final byte[] ID = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    @TempDir
    private Path folder;

    private static DwarfSections point(DwarfStyle style) {
        return DwarfWriter.write(
                style, unit(baseType("int", 4, DW_ATE_signed), struct("point", 4, member("x", "int", 0))));
    }

    private static DwarfSections point() {
        return point(DwarfStyle.DEFAULT);
    }

    private List<String> names(ElfWriter elf) throws IOException, ExtractionException {
        return names(elf, Limits.DEFAULT);
    }

    private List<String> names(ElfWriter elf, Limits limits) throws IOException, ExtractionException {
        Path file = elf.writeTo(folder.resolve("written.debug"));
        return DebugInfo.read(file, new ReadOptions(limits, 1), DebugInfo::extractAll).types().definitions().stream()
                .map(Definition::name)
                .toList();
    }

    private ElfFacts inspect(byte[] bytes) throws IOException, ExtractionException {
        return DebugInfo.read(
                Files.write(folder.resolve("file"), bytes), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts);
    }

    @ParameterizedTest
    @CsvSource({
        "3, 32, LITTLE, i386",
        "8, 32, BIG, mips",
        "20, 32, BIG, ppc",
        "21, 64, BIG, ppc64",
        "22, 64, BIG, s390x",
        "40, 32, LITTLE, arm",
        "62, 64, LITTLE, x86_64",
        "183, 64, LITTLE, aarch64",
        "243, 64, LITTLE, riscv64",
        "258, 64, LITTLE, loongarch64",
        "4711, 64, LITTLE, em-4711"
    })
    void headerNamesTheMachine(int code, int bits, String order, String machine)
            throws IOException, ExtractionException {
        ByteOrder byteOrder = order.equals("BIG") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        byte[] file = new ElfWriter(bits, byteOrder).machine(code).buildId(ID).toBytes();
        ElfFacts facts = inspect(file);
        assertThat(facts.architecture()).isEqualTo(new Architecture(machine, bits, byteOrder));
        assertThat(facts.buildId()).isEqualTo(BuildId.of(ID));
        assertThat(facts.hasDwarf()).isFalse();
        assertThat(facts.fileBytes()).isEqualTo(file.length);
    }

    /** NVIDIA writes the version of its toolkit there. */
    @Test
    void cubinMayHaveAnyVersion() throws IOException, ExtractionException {
        byte[] cubin = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .machine(190)
                .buildId(ID)
                .toBytes();
        cubin[20] = 112;
        assertThat(inspect(cubin).buildId()).isEqualTo(BuildId.of(ID));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
        one.dll           | a PE file (Windows, EFI)
        macho.o           | a Mach-O file (macOS)
        macho-fat.o       | a Mach-O file for several architectures (macOS)
        one.a             | an ar archive; name a member, such as lib.a(x.o)
        thin.a            | a thin ar archive; read the files that it refers to
        one.wasm          | a WebAssembly module
        bitcode.o         | LLVM bitcode, which -flto writes instead of object files; read the linked file
        bitcode-wrapped.o | LLVM bitcode, which -flto writes instead of object files; read the linked file
        """)
    void otherFormatsAreNamed(String file, String format) {
        Path folder = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling("other-formats");
        assertThatThrownBy(() ->
                        DebugInfo.read(folder.resolve(file), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessage("elf header+0x0: expected an ELF file; this is " + format);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
        213c617263683e0a64656269616e2d62696e617279 | a Debian package; extract its files with "dpkg-deb -x"
        edabeedb030000000001007a6c69622d           | an RPM package; extract its files with "rpm2archive" and "tar -x"
        504b03041400000008000000210000000000       | a zip archive
        5d00008000ffffffffffffffff00000000         | compressed by lzma, which has no mark; decompress it with "xz -d"
        """)
    void packagesAndArchivesAreNamed(String start, String format, @TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("file"), HexFormat.of().parseHex(start));

        assertThatThrownBy(() -> DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessage("elf header+0x0: expected an ELF file; this is " + format);
    }

    /** Java class files and universal Mach-O files start with the same magic number. */
    @Test
    void javaClassIsNotMistakenForMachO() throws IOException {
        Path file = folder.resolve("One.class");
        try (InputStream in = ElfInputTests.class.getResourceAsStream("ElfInputTests.class")) {
            Files.copy(Objects.requireNonNull(in), file);
        }
        assertThatThrownBy(() -> DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts))
                .hasMessageEndingWith("this is a Java class file");
    }

    @Test
    void typeOfTheFileIsSaid() throws IOException, ExtractionException {
        for (int type : new int[] {1, 2, 3}) {
            assertThat(inspect(new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                                    .type(type)
                                    .toBytes())
                            .elfType())
                    .isEqualTo(type);
        }
    }

    @Test
    void fileWithoutBuildIdHasNone() throws IOException, ExtractionException {
        assertThat(inspect(point().toElf().toBytes()).buildId()).isNull();
    }

    /** Short ids could match by chance, and real files do not have them. */
    @Test
    void buildIdOfFewerThanEightBytesIsNone() {
        assertThat(List.of(1, 7)).allSatisfy(length -> {
            byte[] file = point().toElf().buildId(Arrays.copyOf(ID, length)).toBytes();
            try {
                assertThat(inspect(file).buildId()).isNull();
            } catch (MalformedInputException e) {
                assertThat(e).hasMessageContaining("note.gnu.build-id");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {ElfWriter.ELFCOMPRESS_ZLIB, ElfWriter.ELFCOMPRESS_ZSTD})
    void compressedSectionsAreReadInEveryClassAndByteOrder(int compression) throws IOException, ExtractionException {
        for (int bits : List.of(32, 64)) {
            for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
                DwarfSections sections =
                        point(DwarfStyle.DEFAULT.withOrder(order).withAddressSize(bits / 8));
                ElfWriter elf = new ElfWriter(bits, order);
                for (String name : List.of(".debug_info", ".debug_abbrev", ".debug_str")) {
                    elf.compressed(name, sections.section(name), compression);
                }
                assertThat(names(elf)).containsExactly("int", "point");
            }
        }
    }

    @Test
    void unknownCompressionIsUnsupported() {
        ElfWriter elf = point().without(".debug_info").toElf().compressedAs(".debug_info", new byte[] {1, 2}, 99, 100);
        assertThatThrownBy(() -> names(elf))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining(".debug_info")
                .hasMessageContaining("99");
    }

    @ParameterizedTest
    @ValueSource(ints = {ElfWriter.ELFCOMPRESS_ZLIB, ElfWriter.ELFCOMPRESS_ZSTD})
    void compressedSectionThatIsNotWhatItClaimsIsMalformed(int compression) {
        byte[] info = point().section(".debug_info");
        for (long claimed : new long[] {0, 1, info.length - 1, info.length + 1, 10_000}) {
            byte[] stream = streamOf(info, compression);
            ElfWriter elf =
                    point().without(".debug_info").toElf().compressedAs(".debug_info", stream, compression, claimed);
            assertThatThrownBy(() -> names(elf)).as("claims %d", claimed).isInstanceOf(ExtractionException.class);
        }
        ElfWriter garbage = point().without(".debug_info")
                .toElf()
                .compressedAs(".debug_info", "no stream at all".getBytes(StandardCharsets.UTF_8), compression, 500);
        assertThatThrownBy(() -> names(garbage))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining(".debug_info");
    }

    private static byte[] streamOf(byte[] contents, int compression) {
        byte[] file = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .compressed(".debug_info", contents, compression)
                .toBytes();
        // The stream follows the ELF header (64 bytes) and the compression header (24 bytes).
        int end = file.length;
        for (int length = end - 88; length > 0; length--) {
            if (88 + length <= end && file[88 + length - 1] != 0) {
                return Arrays.copyOfRange(file, 88, 88 + length);
            }
        }
        throw new AssertionError("nothing was compressed");
    }

    /** The claimed size is checked before any memory is allocated for it. */
    @ParameterizedTest
    @ValueSource(longs = {9L << 30, 1L << 50, Long.MAX_VALUE, -1})
    void compressedSectionThatClaimsTooMuchIsOverTheLimit(long claimed) {
        ElfWriter elf = point().without(".debug_info").toElf().compressedAs(".debug_info", new byte[20], 1, claimed);
        assertThatThrownBy(() -> names(elf))
                .isInstanceOfAny(LimitExceededException.class, MalformedInputException.class);
    }

    @Test
    void decompressedBytesAreCountedAgainstTheirLimit() throws IOException, ExtractionException {
        DwarfSections sections = point();
        ElfWriter elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN);
        long total = 0;
        for (String name : List.of(".debug_info", ".debug_abbrev", ".debug_str")) {
            elf.compressed(name, sections.section(name), ElfWriter.ELFCOMPRESS_ZLIB);
            total += sections.section(name).length;
        }
        assertThat(names(elf, Limits.DEFAULT.withMaxDecompressedBytes(total))).hasSize(2);
        Limits justBelow = Limits.DEFAULT.withMaxDecompressedBytes(total - 1);
        assertThatThrownBy(() -> names(elf, justBelow))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo("maxDecompressedBytes"));
    }

    /** Sections above the heap limit are decompressed into a temporary file. */
    @Test
    void sectionsPastTheHeapLimitReadTheSame() throws IOException, ExtractionException {
        DwarfSections sections = point();
        for (int compression : List.of(ElfWriter.ELFCOMPRESS_ZLIB, ElfWriter.ELFCOMPRESS_ZSTD)) {
            ElfWriter elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN);
            for (String name : List.of(".debug_info", ".debug_abbrev", ".debug_str")) {
                elf.compressed(name, sections.section(name), compression);
            }
            assertThat(names(elf, Limits.DEFAULT.withMaxHeapSectionBytes(1))).containsExactly("int", "point");
        }
    }

    @Test
    void fileLargerThanItsLimitIsOverIt() throws IOException {
        byte[] bytes = point().toElf().toBytes();
        Path file = Files.write(folder.resolve("file"), bytes);
        Limits limits = Limits.DEFAULT.withMaxFileBytes(bytes.length - 1L);
        assertThatThrownBy(() -> DebugInfo.read(file, new ReadOptions(limits, 1), DebugInfo::extractAll))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo("maxFileBytes"));
    }

    @Test
    void numberOfSectionsMayStandInSectionHeaderZero() throws IOException, ExtractionException {
        assertThat(names(point().toElf().extendedNumbering())).containsExactly("int", "point");
    }

    private static ElfWriter withProgramHeaders(int count) {
        ElfWriter elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < count; i++) {
            elf.tlsSegment(0, 0, 0, 1);
        }
        return elf;
    }

    @Test
    void programThatLinuxCannotLoadIsMalformed() throws IOException, ExtractionException {
        Path file = withProgramHeaders(ProgramHeader.MOST).writeTo(folder.resolve("most"));
        assertThat(DebugInfo.read(file, OPTIONS, DebugInfo::fileOffsets).missing())
                .isNotNull();
        Path more = withProgramHeaders(ProgramHeader.MOST + 1).writeTo(folder.resolve("more"));
        assertThatThrownBy(() -> DebugInfo.read(more, OPTIONS, DebugInfo::fileOffsets))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("2049 program headers; expected up to 2048");
    }

    @Test
    void coreFileHasAProgramHeaderForEachMapping() throws IOException, ExtractionException {
        Path core = withProgramHeaders(10 * ProgramHeader.MOST)
                .type(CoreFile.ET_CORE)
                .writeTo(folder.resolve("core"));
        assertThat(DebugInfo.read(core, OPTIONS, DebugInfo::modules)).isEmpty();
    }

    @Test
    void sectionsWithoutContentsDoNotCountAsDwarf() throws IOException, ExtractionException {
        ElfWriter stripped = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).noBits(".debug_info", 1000);
        assertThat(inspect(stripped.toBytes()).hasDwarf()).isFalse();
        assertThatThrownBy(() -> names(stripped)).isInstanceOf(ExtractionException.class);
    }

    @Test
    void fileWithoutDwarfIsRefused() {
        assertThatThrownBy(() -> names(new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).buildId(ID)))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("no DWARF");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\u007f", "\u007fELF", "<!doctype html><title>404</title>", "!<arch>\n"})
    void otherFilesAreMalformed(String contents) {
        assertThatThrownBy(() -> inspect(contents.getBytes(StandardCharsets.ISO_8859_1)))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageStartingWith("elf header");
    }

    @Test
    void missingFileIsAnInputOutputError() {
        assertThatThrownBy(() ->
                        DebugInfo.read(folder.resolve("nowhere"), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void folderIsAnInputOutputError() {
        assertThatThrownBy(() -> DebugInfo.read(folder, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is a directory");
    }

    @Test
    void deviceIsRefusedWithoutOpeningIt() {
        assertThatThrownBy(() ->
                        DebugInfo.read(Path.of("/dev/null"), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not a regular file");
    }

    @ParameterizedTest
    @CsvSource({"4, 0", "4, 3", "5, 0", "5, 3"})
    void unknownIdentificationIsRefused(int at, int value) {
        byte[] file = point().toElf().toBytes();
        file[at] = (byte) value;
        assertThatThrownBy(() -> inspect(file))
                .isInstanceOf(ExtractionException.class)
                .hasMessageStartingWith("elf header");
    }

    @Test
    void sectionHeadersOutsideTheFileAreMalformed() {
        byte[] file = point().toElf().toBytes();
        file[0x28 + 6] = 0x7f;
        assertThatThrownBy(() -> inspect(file))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageMatching("elf header.*e_shoff.*");
    }

    @Test
    void fileCutAnywhereIsAnAnswerOrARefusal() throws IOException {
        byte[] file = point().toElf().buildId(ID).toBytes();
        for (int length = 0; length < file.length; length++) {
            byte[] cut = Arrays.copyOf(file, length);
            assertThatThrownBy(() -> inspect(cut)).as("%d bytes", length).isInstanceOf(MalformedInputException.class);
        }
    }
}
