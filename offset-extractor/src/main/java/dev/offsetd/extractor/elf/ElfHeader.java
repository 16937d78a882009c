package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Architecture;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * The ELF header (gABI, "ELF Header"); the names are the standard's, and the numbers as they are in the file.
 *
 * @param bits 32 or 64, from {@code EI_CLASS}
 * @param byteOrder from {@code EI_DATA}
 * @param type {@code e_type}
 * @param machine {@code e_machine}
 * @param phoff {@code e_phoff}: bytes from the start of the file
 * @param shoff {@code e_shoff}: bytes from the start of the file
 * @param phentsize {@code e_phentsize}
 * @param phnum {@code e_phnum}
 * @param shentsize {@code e_shentsize}
 * @param shnum {@code e_shnum}
 * @param shstrndx {@code e_shstrndx}
 */
record ElfHeader(
        int bits,
        ByteOrder byteOrder,
        int type,
        int machine,
        long phoff,
        long shoff,
        int phentsize,
        int phnum,
        int shentsize,
        int shnum,
        int shstrndx) {

    /** The name under which messages know it. */
    static final String NAME = "elf header";

    /** Bytes of the longer one, of 64-bit files. */
    static final int MAX_BYTES = 64;

    private static final int ET_REL = 1;
    static final int ET_EXEC = 2;
    private static final int EV_CURRENT = 1;

    /** Cubins, whose {@code e_version} is NVIDIA's own: that of the CUDA toolkit. */
    private static final int EM_CUDA = 190;

    /**
     * Reads the header.
     *
     * @param bytes the file, or its start with at least {@link #MAX_BYTES} if it has so many
     * @throws MalformedInputException if it is not an ELF file
     * @throws UnsupportedInputException if it is in another known format, or the ELF version is unknown
     */
    static ElfHeader read(MemorySegment bytes) throws ExtractionException {
        if (bytes.byteSize() < 16) {
            throw new MalformedInputException(
                    NAME, 0, "the file has " + bytes.byteSize() + " bytes; expected an ELF header of 52 or 64");
        }
        ByteCursor ident = new Section(NAME, bytes, ByteOrder.BIG_ENDIAN).cursor();
        long magic = ident.u32();
        if (magic != 0x7f454c46L) {
            Optional<OtherFormat> other = OtherFormat.of(bytes);
            if (other.isPresent()) {
                throw new UnsupportedInputException(
                        NAME, 0, "expected an ELF file; this is " + other.get().description());
            }
            throw new MalformedInputException(
                    NAME,
                    0,
                    OtherFormat.isText(bytes)
                            ? "expected an ELF file; this is a text file"
                            : "the file starts with 0x" + Long.toHexString(magic) + "; expected 0x7f454c46 (ELF)");
        }
        int elfClass = ident.u8();
        int elfData = ident.u8();
        if (elfClass != 1 && elfClass != 2) {
            throw new MalformedInputException(NAME, 4, "EI_CLASS is " + elfClass + "; expected 1 or 2");
        }
        if (elfData != 1 && elfData != 2) {
            throw new MalformedInputException(NAME, 5, "EI_DATA is " + elfData + "; expected 1 or 2");
        }
        requireCurrentVersion("EI_VERSION", ident.u8(), 6);
        int bits = elfClass == 1 ? 32 : 64;
        ByteOrder order = elfData == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        ByteCursor header = new Section(NAME, bytes, order).cursor();
        header.seek(16);
        int type = header.u16();
        int machine = header.u16();
        long version = header.u32();
        if (machine != EM_CUDA) {
            requireCurrentVersion("e_version", version, 20);
        }
        int word = bits / 8;
        header.skip(word);
        long phoff = header.unsigned(word);
        long shoff = header.unsigned(word);
        header.skip(6);
        return new ElfHeader(
                bits,
                order,
                type,
                machine,
                phoff,
                shoff,
                header.u16(),
                header.u16(),
                header.u16(),
                header.u16(),
                header.u16());
    }

    /** The gABI defines one version, {@code EV_CURRENT}; the field positions of any other are unknown, except in files of {@link #EM_CUDA}. */
    private static void requireCurrentVersion(String field, long version, long offset)
            throws UnsupportedInputException {
        if (version != EV_CURRENT) {
            throw new UnsupportedInputException(
                    NAME, offset, field + " is " + version + "; expected " + EV_CURRENT + " (EV_CURRENT)");
        }
    }

    Architecture architecture() {
        return new Architecture(machineName(machine, bits, byteOrder), bits, byteOrder);
    }

    boolean isRelocatable() {
        return type == ET_REL;
    }

    boolean isWide() {
        return bits == 64;
    }

    /** Bytes of an address or offset. */
    int word() {
        return bits / 8;
    }

    /** Bytes of this header. */
    int headerBytes() {
        return isWide() ? 64 : 52;
    }

    /** Returns what {@code e_shentsize} has to be. */
    int sectionHeaderBytes() {
        return isWide() ? 64 : 40;
    }

    /** Returns what {@code e_phentsize} has to be. */
    int programHeaderBytes() {
        return isWide() ? 56 : 32;
    }

    /** Returns the name of {@code e_machine}, as {@code uname -m} spells it ({@code i386} for all of that family). */
    private static String machineName(int machine, int bits, ByteOrder order) {
        boolean little = order == ByteOrder.LITTLE_ENDIAN;
        return switch (machine) {
            case 2 -> "sparc";
            case 3 -> "i386";
            case 4 -> "m68k";
            case 8 -> (bits == 64 ? "mips64" : "mips") + (little ? "el" : "");
            case 15 -> bits == 64 ? "parisc64" : "parisc";
            case 20 -> "ppc";
            case 21 -> little ? "ppc64le" : "ppc64";
            case 22 -> bits == 64 ? "s390x" : "s390";
            case 40 -> "arm";
            case 42 -> "sh4";
            case 43 -> "sparc64";
            case 50 -> "ia64";
            case 62 -> "x86_64";
            case 183 -> "aarch64";
            case 243 -> bits == 64 ? "riscv64" : "riscv32";
            case 247 -> "bpf";
            case 258 -> bits == 64 ? "loongarch64" : "loongarch32";
            case 0x9026 -> "alpha";
            default -> "em-" + machine;
        };
    }
}
