package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Applies the relocations of a debug section of a relocatable file (gABI, "Relocation"; the types are each processor's
 * supplement's). In such a file the offsets from one debug section into another stand in the relocation table. Sections
 * are taken to start at address 0, as they do there.
 */
final class Relocations {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** The relocation leaves alone what types are read from: offsets into thread-local storage, linker hints. */
    private static final int NOTHING = 0;

    private static final int UNKNOWN = -1;
    private static final int EM_MIPS = 8;
    private static final int SHN_LORESERVE = 0xff00;

    private final int machine;
    private final int bits;
    private final Section symbols;
    private final long[] startsOfSections;

    /**
     * @param machine {@code e_machine}
     * @param symbols the symbol table that the relocations refer to
     * @param startsOfSections where each section starts, by its index
     */
    Relocations(int machine, int bits, Section symbols, long[] startsOfSections) {
        this.machine = machine;
        this.bits = bits;
        this.symbols = symbols;
        this.startsOfSections = startsOfSections;
    }

    /**
     * Applies a table to the contents of its section, which are changed.
     *
     * @param explicitAddends whether entries carry their addend ({@code SHT_RELA}); else it is in the place itself
     * @throws MalformedInputException if an entry lies outside the section, or names a symbol outside the table
     * @throws UnsupportedInputException if an entry is of a type that is not known here
     */
    void apply(Section table, boolean explicitAddends, Section contents) throws ExtractionException {
        int word = bits / 8;
        int entrySize = word * (explicitAddends ? 3 : 2);
        boolean bigEndian = contents.byteOrder() == ByteOrder.BIG_ENDIAN;
        for (long at = 0; at < table.size(); at += entrySize) {
            ByteCursor in = table.cursor(at, entrySize);
            long offset = in.unsigned(word);
            long info = in.unsigned(word);
            if (machine == EM_MIPS && bits == 64 && !bigEndian) {
                // 64-bit MIPS splits r_info: the symbol in the file's byte order, then four bytes, the type last.
                info = (info << 32) | Integer.toUnsignedLong(Integer.reverseBytes((int) (info >>> 32)));
            }
            long symbol = bits == 64 ? info >>> 32 : info >>> 8;
            int type = (int) (bits == 64 ? info & 0xffff_ffffL : info & 0xff);
            int width = width(type);
            if (width == NOTHING) {
                continue;
            }
            if (width == UNKNOWN) {
                throw new UnsupportedInputException(
                        contents.name(),
                        offset,
                        "relocation type " + type + " of machine " + machine + " (" + HostileText.quote(table.name())
                                + ") is not supported; link the file first");
            }
            ByteCursor place = contents.cursor(offset, width);
            long addend = explicitAddends ? signed(in.unsigned(word)) : signed(place.unsigned(width), width);
            write(contents.bytes(), offset, width, symbolValue(symbol) + addend, bigEndian);
        }
    }

    private long signed(long value) {
        return bits == 64 ? value : (int) value;
    }

    private static long signed(long value, int width) {
        return width == 8 ? value : (int) value;
    }

    private static void write(MemorySegment bytes, long offset, int width, long value, boolean bigEndian) {
        if (width == 8) {
            bytes.set(LONG, offset, bigEndian ? Long.reverseBytes(value) : value);
        } else {
            bytes.set(INT, offset, bigEndian ? Integer.reverseBytes((int) value) : (int) value);
        }
    }

    /** {@code st_value} of a symbol, from where its section starts. */
    private long symbolValue(long index) throws MalformedInputException {
        int entrySize = bits == 64 ? 24 : 16;
        if (index < 0 || index >= symbols.size() / entrySize) {
            throw new MalformedInputException(
                    symbols.name(),
                    ExtractionException.NO_OFFSET,
                    "reference to symbol " + index + " of " + symbols.size() / entrySize);
        }
        ByteCursor in = symbols.cursor(index * entrySize, entrySize);
        long value;
        int section;
        if (bits == 64) {
            in.skip(6);
            section = in.u16();
            value = in.u64();
        } else {
            in.skip(4);
            value = in.u32();
            in.skip(6);
            section = in.u16();
        }
        // Special indexes, such as that of absolute symbols, are past every section that a 16-bit field can name.
        return section < Math.min(startsOfSections.length, SHN_LORESERVE) ? startsOfSections[section] + value : value;
    }

    /** Bytes that an absolute relocation of this type writes. */
    private int width(int type) {
        if (type == 0) {
            return NOTHING;
        }
        return switch (machine) {
            // i386: R_386_32, R_386_TLS_LDO_32
            case 3 -> type == 1 ? 4 : type == 32 ? NOTHING : UNKNOWN;
            // MIPS: R_MIPS_32, R_MIPS_64, R_MIPS_TLS_DTPREL32, R_MIPS_TLS_DTPREL64
            case EM_MIPS -> type == 2 ? 4 : type == 18 ? 8 : type == 39 || type == 41 ? NOTHING : UNKNOWN;
            // PowerPC: R_PPC_ADDR32, R_PPC_DTPREL32
            case 20 -> type == 1 ? 4 : type == 78 ? NOTHING : UNKNOWN;
            // PowerPC 64: R_PPC64_ADDR32, R_PPC64_ADDR64, R_PPC64_DTPREL64
            case 21 -> type == 1 ? 4 : type == 38 ? 8 : type == 78 ? NOTHING : UNKNOWN;
            // s390: R_390_32, R_390_64, R_390_TLS_LDO32, R_390_TLS_LDO64
            case 22 -> type == 4 ? 4 : type == 22 ? 8 : type == 52 || type == 53 ? NOTHING : UNKNOWN;
            // ARM: R_ARM_ABS32, R_ARM_TLS_LDO32
            case 40 -> type == 2 ? 4 : type == 106 ? NOTHING : UNKNOWN;
            // x86-64: R_X86_64_64, R_X86_64_32, R_X86_64_32S, R_X86_64_DTPOFF64, R_X86_64_DTPOFF32
            case 62 -> type == 1 ? 8 : type == 10 || type == 11 ? 4 : type == 17 || type == 21 ? NOTHING : UNKNOWN;
            // AArch64: R_AARCH64_ABS64, R_AARCH64_ABS32; of ILP32 R_AARCH64_P32_ABS32
            case 183 -> type == 257 ? 8 : type == 258 || (type == 1 && bits == 32) ? 4 : UNKNOWN;
            // RISC-V: R_RISCV_32, R_RISCV_64, R_RISCV_TLS_DTPREL32, R_RISCV_TLS_DTPREL64; ADD, SUB, SET and relaxation
            // hints
            // concern code addresses only
            case 243 ->
                type == 1
                        ? 4
                        : type == 2 ? 8 : type == 8 || type == 9 || (type >= 33 && type <= 61) ? NOTHING : UNKNOWN;
            // BPF: R_BPF_64_ABS64, R_BPF_64_ABS32; before LLVM 13 R_BPF_64_64, R_BPF_64_32
            case 247 -> type == 2 || type == 1 ? 8 : type == 3 || type == 10 ? 4 : UNKNOWN;
            // LoongArch: R_LARCH_32, R_LARCH_64, R_LARCH_TLS_DTPREL32, R_LARCH_TLS_DTPREL64; ADD, SUB and hints as of
            // RISC-V
            case 258 ->
                type == 1
                        ? 4
                        : type == 2 ? 8 : type == 8 || type == 9 || (type >= 47 && type <= 109) ? NOTHING : UNKNOWN;
            default -> UNKNOWN;
        };
    }
}
