package dev.offsetd.extractor.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests one relocation of each data type in the ABI documents, by its number there. */
class RelocationTypesTests {

    private static final int ET_REL = 1;
    private static final int SHT_SYMTAB = 2;
    private static final int SHT_RELA = 4;
    private static final int SHT_SYMTAB_SHNDX = 18;
    private static final long ADDEND = 0x1234;
    private static final long VALUE = 8;

    @ParameterizedTest
    @CsvSource({
        "sparc, 2, 32, 3, 4",
        "sparc ua32, 2, 32, 23, 4",
        "sparc v8plus, 18, 32, 23, 4",
        "sparc64 ua32, 43, 64, 23, 4",
        "sparc64 64, 43, 64, 32, 8",
        "sparc64 ua64, 43, 64, 54, 8",
        "m68k, 4, 32, 1, 4",
        "hppa, 15, 32, 1, 4",
        "hppa64 secrel32, 15, 64, 41, 4",
        "hppa64 dir64, 15, 64, 80, 8",
        "ppc uaddr32, 20, 32, 24, 4",
        "ppc64 uaddr32, 21, 64, 24, 4",
        "ppc64 uaddr64, 21, 64, 43, 8",
        "csky, 252, 32, 1, 4",
        "mcore, 39, 32, 1, 4",
        "alpha reflong, 0x9026, 64, 1, 4",
        "alpha refquad, 0x9026, 64, 2, 8",
        "sh, 42, 32, 1, 4",
        "ia64 dir32lsb, 50, 64, 0x25, 4",
        "ia64 secrel32lsb, 50, 64, 0x65, 4",
        "ia64 dir64lsb, 50, 64, 0x27, 8",
        "ia64 secrel64lsb, 50, 64, 0x67, 8",
        "avr, 83, 32, 1, 4",
        "avr 16, 83, 32, 4, 2",
        "or1k, 92, 32, 1, 4",
        "arc, 93, 32, 4, 4",
        "arcv2, 195, 32, 4, 4",
        "msp430, 105, 32, 1, 4",
        "msp430 16, 105, 32, 3, 2",
        "msp430 16_byte, 105, 32, 5, 2",
        "nios2, 113, 32, 12, 4",
        "hexagon, 164, 32, 6, 4",
        "microblaze, 189, 32, 1, 4",
        "amdgpu abs32, 224, 64, 6, 4",
        "amdgpu abs64, 224, 64, 3, 8",
        "lanai, 244, 32, 4, 4",
        "bpf of gcc 32, 247, 64, 11, 4",
        "bpf of gcc 64, 247, 64, 12, 8",
        "bpf of llvm 32, 247, 64, 3, 4",
        "bpf of llvm 64, 247, 64, 2, 8",
        "ve reflong, 251, 64, 1, 4",
        "ve refquad, 251, 64, 2, 8"
    })
    void absoluteRelocationOfDataIsApplied(String name, String machine, int bits, String type, int bytes)
            throws ExtractionException {
        Section contents = relocated(Integer.decode(machine), bits, Integer.decode(type));

        assertThat(contents.cursor(0, bytes).unsigned(bytes)).as(name).isEqualTo(ADDEND);
        assertThat(contents.cursor(bytes, 8).u64())
                .as("what follows in " + name)
                .isZero();
    }

    /**
     * Where the linker shortens code, the distance of two addresses is a pair of relocations, as in {@code
     * DW_LNS_fixed_advance_pc} and {@code DW_AT_high_pc}.
     */
    @ParameterizedTest
    @CsvSource({
        "riscv add8 sub8, 243, 33, 37, 1",
        "riscv add16 sub16, 243, 34, 38, 2",
        "riscv add32 sub32, 243, 35, 39, 4",
        "riscv add64 sub64, 243, 36, 40, 8",
        "riscv set8 sub8, 243, 54, 37, 1",
        "riscv set16 sub16, 243, 55, 38, 2",
        "riscv set32 sub32, 243, 56, 39, 4",
        "loongarch add8 sub8, 258, 47, 52, 1",
        "loongarch add16 sub16, 258, 48, 53, 2",
        "loongarch add24 sub24, 258, 49, 54, 3",
        "loongarch add32 sub32, 258, 50, 55, 4",
        "loongarch add64 sub64, 258, 51, 56, 8"
    })
    void distanceOfTwoAddressesIsApplied(String name, int machine, int add, int subtract, int bytes)
            throws ExtractionException {
        byte[] contents = new byte[16];
        contents[bytes] = 0x55;
        Section section = read(object(machine, 64, ".debug_str", contents, add, 0x12345, subtract, 0x122fe))
                .section(".debug_str");

        assertThat(section.cursor(0, bytes).unsigned(bytes)).as(name).isEqualTo(0x47);
        assertThat(section.cursor(bytes, 1).u8()).as("what follows in " + name).isEqualTo(0x55);
    }

    /** The number keeps its length, so that what follows keeps its place. */
    @ParameterizedTest
    @CsvSource({"riscv, 243, 60, 61", "loongarch, 258, 107, 108"})
    void distanceInLeb128KeepsItsLength(String name, int machine, int set, int subtract) throws ExtractionException {
        byte[] contents = {(byte) 0x80, 0, 0x55, 0, 0, 0, 0, 0};
        Section section = read(object(machine, 64, ".debug_str", contents, set, 0x12345, subtract, 0x12300))
                .section(".debug_str");

        assertThat(section.cursor(0, 8).u64()).as(name).isEqualTo(0x55_00c5L);
    }

    @Test
    void leb128WithoutEndIsDamage() {
        byte[] file = object(243, 64, ".debug_str", new byte[] {(byte) 0x80}, 60, ADDEND);

        assertThatThrownBy(() -> read(file).section(".debug_str")).isInstanceOf(MalformedInputException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "sparc tls_dtpoff64, 43, 64, 77",
        "m68k tls_ldo32, 4, 32, 31",
        "sh tls_ldo_32, 42, 32, 146",
        "hppa tls_dtpoff32, 15, 32, 244",
        "alpha dtprel64, 0x9026, 64, 33",
        "ia64 dtprel64lsb, 50, 64, 0xb7",
        "arc tls_dtpoff, 195, 32, 67",
        "avr 16_pm, 83, 32, 5",
        "xtensa pdiff32, 94, 32, 59",
        "hexagon dtprel_32, 164, 32, 47"
    })
    void relocationThatChangesNoTypeIsSkipped(String name, String machine, int bits, String type)
            throws ExtractionException {
        assertThat(relocated(Integer.decode(machine), bits, Integer.decode(type))
                        .cursor(0, 8)
                        .u64())
                .as(name)
                .isZero();
    }

    /** Where a file has more sections than a symbol has room for, the index is in another table. */
    @Test
    void symbolInASectionBeyondTheFieldCountsFromThatSection() throws ExtractionException {
        ElfWriter file = object(62)
                .code(".text.a", 0, 0x20)
                .code(".text.b", 0, 0x20)
                .section(".debug_str", new byte[8])
                .section(".symtab", SHT_SYMTAB, 0, 0, 24, symbol(0xffff))
                .section(".symtab_shndx", SHT_SYMTAB_SHNDX, 4, 0, 4, new byte[] {2, 0, 0, 0})
                .section(".rela.debug_str", SHT_RELA, 4, 3, 24, relocation(1));

        assertThat(read(file.toBytes()).section(".debug_str").cursor(0, 8).u64())
                .isEqualTo(0x20 + VALUE + ADDEND);
    }

    @ParameterizedTest
    @ValueSource(ints = {ElfWriter.ELFCOMPRESS_ZLIB, ElfWriter.ELFCOMPRESS_ZSTD})
    void compressedSectionsOfOneNameAreReadAsOne(int compression) throws ExtractionException {
        byte[] first = new byte[1000];
        Arrays.fill(first, (byte) 'a');
        ElfWriter file = object(62)
                .compressed(".debug_str", first, compression)
                .section(".debug_str", new byte[] {'b'})
                .section(".debug_info", new byte[8])
                .section(".symtab", SHT_SYMTAB, 0, 0, 24, symbol(2))
                .section(".rela.debug_info", SHT_RELA, 4, 3, 24, relocation(1));
        ElfFile read = read(file.toBytes());

        assertThat(read.section(".debug_info").cursor(0, 8).u64()).isEqualTo(1000 + VALUE + ADDEND);
        assertThat(read.section(".debug_str").size()).isEqualTo(1001);
        assertThat(read.section(".debug_str").cursor(999, 2).u16()).isEqualTo('a' + ('b' << 8));
    }

    private static ElfWriter object(int machine) {
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).type(ET_REL).machine(machine);
    }

    /** A table with one symbol. */
    private static byte[] symbol(int section) {
        return new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .u32(0)
                .u16(0)
                .u16(section)
                .u64(VALUE)
                .u64(0)
                .toBytes();
    }

    /** A table with one relocation of the first bytes of a section, by the first symbol. */
    private static byte[] relocation(int type) {
        return new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .u64(0)
                .u64(type)
                .u64(ADDEND)
                .toBytes();
    }

    /** Code of the processor, whose relocations are not known here, lies in other sections of the same file. */
    @Test
    void relocationsOutsideOfDebugSectionsAreIgnored() throws ExtractionException {
        byte[] file = object(62, 64, ".rodata", new byte[16], 999, ADDEND);

        assertThat(read(file).section(".rodata").cursor(0, 8).u64()).isZero();
    }

    @Test
    void relocationOfAnUnknownProcessorIsNotSupported() {
        assertThatThrownBy(() -> relocated(0x1234, 64, 1))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("relocation type 1 of machine 4660");
    }

    private static Section relocated(int machine, int bits, int type) throws ExtractionException {
        return read(object(machine, bits, ".debug_str", new byte[16], type, ADDEND))
                .section(".debug_str");
    }

    private static ElfFile read(byte[] file) throws ExtractionException {
        Arena arena = Arena.ofAuto();
        MemorySegment mapped = arena.allocate(file.length).copyFrom(MemorySegment.ofArray(file));
        return ElfFile.read(mapped, arena, Limits.DEFAULT);
    }

    /**
     * An object file with relocations of the first bytes of a section.
     *
     * @param typesAndAddends of each
     */
    private static byte[] object(int machine, int bits, String section, byte[] contents, long... typesAndAddends) {
        int word = bits / 8;
        BinaryWriter table = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < typesAndAddends.length; i += 2) {
            table.integer(0, word).integer(typesAndAddends[i], word).integer(typesAndAddends[i + 1], word);
        }
        return new ElfWriter(bits, ByteOrder.LITTLE_ENDIAN)
                .type(ET_REL)
                .machine(machine)
                .section(section, contents)
                .section(".symtab", SHT_SYMTAB, 0, 0, bits == 64 ? 24 : 16, new byte[bits == 64 ? 24 : 16])
                .section(".rela" + section, SHT_RELA, 2, 1, 3 * word, table.toBytes())
                .toBytes();
    }
}
