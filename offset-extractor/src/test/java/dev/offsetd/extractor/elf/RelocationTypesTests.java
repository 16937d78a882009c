package dev.offsetd.extractor.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests one relocation of each data type in the ABI documents, by its number there. */
class RelocationTypesTests {

    private static final int ET_REL = 1;
    private static final int SHT_SYMTAB = 2;
    private static final int SHT_RELA = 4;
    private static final long ADDEND = 0x1234;

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
        "or1k, 92, 32, 1, 4",
        "arc, 93, 32, 4, 4",
        "arcv2, 195, 32, 4, 4",
        "msp430, 105, 32, 1, 4",
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

    @ParameterizedTest
    @CsvSource({
        "sparc tls_dtpoff64, 43, 64, 77",
        "m68k tls_ldo32, 4, 32, 31",
        "sh tls_ldo_32, 42, 32, 146",
        "hppa tls_dtpoff32, 15, 32, 244",
        "alpha dtprel64, 0x9026, 64, 33",
        "ia64 dtprel64lsb, 50, 64, 0xb7",
        "arc tls_dtpoff, 195, 32, 67",
        "avr 16, 83, 32, 4",
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

    /** Code of the processor, whose relocations are not known here, lies in other sections of the same file. */
    @Test
    void relocationsOutsideOfDebugSectionsAreIgnored() throws ExtractionException {
        byte[] file = object(62, 64, 999, ".rodata");

        assertThat(read(file).section(".rodata").cursor(0, 8).u64()).isZero();
    }

    @Test
    void relocationOfAnUnknownProcessorIsNotSupported() {
        assertThatThrownBy(() -> relocated(0x1234, 64, 1))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("relocation type 1 of machine 4660");
    }

    private static Section relocated(int machine, int bits, int type) throws ExtractionException {
        return read(object(machine, bits, type, ".debug_str")).section(".debug_str");
    }

    private static ElfFile read(byte[] file) throws ExtractionException {
        return ElfFile.read(MemorySegment.ofArray(file), Arena.ofAuto(), Limits.DEFAULT);
    }

    /** An object file with one relocation, of the first bytes of a section. */
    private static byte[] object(int machine, int bits, int type, String section) {
        int word = bits / 8;
        byte[] table = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .integer(0, word)
                .integer(type, word)
                .integer(ADDEND, word)
                .toBytes();
        return new ElfWriter(bits, ByteOrder.LITTLE_ENDIAN)
                .type(ET_REL)
                .machine(machine)
                .section(section, new byte[16])
                .section(".symtab", SHT_SYMTAB, 0, 0, bits == 64 ? 24 : 16, new byte[bits == 64 ? 24 : 16])
                .section(".rela" + section, SHT_RELA, 2, 1, 3 * word, table)
                .toBytes();
    }
}
