package dev.offsetd.extractor.elf;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Effects of the relocation types of one processor on debug sections of a relocatable file, by the ABI document of the
 * processor. Four kinds matter: absolute ones of 32 and 64 bits, which are applied, and those that change no type. All others
 * are unknown: they may be what a type is found by.
 */
final class RelocationTypes {

    /** A relocation of this type changes nothing that types are read from. */
    static final int NOTHING = 0;

    static final int UNKNOWN = -1;

    private static final int EM_SH = 42;
    private static final int EM_AVR = 83;
    private static final int EM_XTENSA = 94;
    private static final int EM_MSP430 = 105;
    private static final int EM_AARCH64 = 183;
    private static final int EM_RISCV = 243;
    private static final int EM_LOONGARCH = 258;

    private static final Map<Integer, RelocationTypes> BY_MACHINE = new HashMap<>();

    private static final RelocationTypes NONE = new RelocationTypes();

    static {
        // R_SPARC_32, R_SPARC_UA32, R_SPARC_64, R_SPARC_UA64; R_SPARC_TLS_DTPOFF32, R_SPARC_TLS_DTPOFF64
        RelocationTypes sparc = new RelocationTypes().four(3, 23).eight(32, 54).nothing(76, 77);
        add(sparc, 2, 18, 43);
        // R_386_32; R_386_TLS_LDO_32. EM_386, EM_IAMCU
        add(new RelocationTypes().four(1).nothing(32), 3, 6);
        // R_68K_32; R_68K_TLS_LDO32, R_68K_TLS_DTPREL32
        add(new RelocationTypes().four(1).nothing(31, 41), 4);
        // R_MIPS_32, R_MIPS_64; R_MIPS_TLS_DTPREL32, R_MIPS_TLS_DTPREL64
        add(new RelocationTypes().four(2).eight(18).nothing(39, 41), 8);
        // R_PARISC_DIR32, R_PARISC_SECREL32, R_PARISC_DIR64, R_PARISC_SECREL64; R_PARISC_TLS_DTPOFF32, ..64
        add(new RelocationTypes().four(1, 41).eight(80, 104).nothing(244, 245), 15);
        // R_PPC_ADDR32, R_PPC_UADDR32; R_PPC_DTPREL32
        add(new RelocationTypes().four(1, 24).nothing(78), 20);
        // R_PPC64_ADDR32, R_PPC64_UADDR32, R_PPC64_ADDR64, R_PPC64_UADDR64; R_PPC64_DTPREL64
        add(new RelocationTypes().four(1, 24).eight(38, 43).nothing(78), 21);
        // R_390_32, R_390_64; R_390_TLS_LDO32, R_390_TLS_LDO64
        add(new RelocationTypes().four(4).eight(22).nothing(52, 53), 22);
        // R_CKCORE_ADDR32; R_CKCORE_TLS_LDO32, R_CKCORE_TLS_DTPOFF32. EM_MCORE, which old C-SKY had, and EM_CSKY
        add(new RelocationTypes().four(1).nothing(55, 57), 39, 252);
        // R_ARM_ABS32; R_ARM_TLS_LDO32
        add(new RelocationTypes().four(2).nothing(106), 40);
        // R_ALPHA_REFLONG, R_ALPHA_REFQUAD; R_ALPHA_DTPREL64. The standard's number and the one in use
        add(new RelocationTypes().four(1).eight(2).nothing(33), 41, 0x9026);
        // R_SH_DIR32; R_SH_TLS_LDO_32, R_SH_TLS_DTPOFF32
        add(new RelocationTypes().four(1).nothing(146, 150), EM_SH);
        // R_IA64_DIR32MSB, DIR32LSB, SECREL32MSB, SECREL32LSB; DIR64MSB, DIR64LSB, SECREL64MSB, SECREL64LSB;
        // DTPREL32MSB to DTPREL64LSB
        RelocationTypes itanium = new RelocationTypes().four(0x24, 0x25, 0x64, 0x65);
        add(itanium.eight(0x26, 0x27, 0x66, 0x67).nothingFrom(0xb4, 0xb7), 50);
        // R_X86_64_32, R_X86_64_32S, R_X86_64_64; R_X86_64_DTPOFF64, R_X86_64_DTPOFF32. EM_L1OM and EM_K1OM too
        add(new RelocationTypes().four(10, 11).eight(1).nothing(17, 21), 62, 180, 181);
        // R_AVR_32. Code has 16-bit addresses there: R_AVR_16, R_AVR_16_PM; R_AVR_DIFF8 to R_AVR_DIFF32 are hints
        add(new RelocationTypes().four(1).nothing(4, 5).nothingFrom(30, 32), EM_AVR);
        // R_OR1K_32; R_OR1K_TLS_DTPOFF
        add(new RelocationTypes().four(1).nothing(33), 92);
        // R_ARC_32; R_ARC_TLS_DTPOFF. EM_ARC_COMPACT, EM_ARC_COMPACT2
        add(new RelocationTypes().four(4).nothing(67), 93, 195);
        // R_XTENSA_32; R_XTENSA_TLS_DTPOFF; R_XTENSA_DIFF8 to R_XTENSA_DIFF32 and their PDIFF and NDIFF are hints
        add(new RelocationTypes().four(1).nothing(52).nothingFrom(17, 19).nothingFrom(57, 62), EM_XTENSA);
        // R_MSP430_32. Code has 16-bit addresses there, alone and in differences: R_MSP430_16 to R_MSP430_SYM_DIFF
        add(new RelocationTypes().four(1).nothingFrom(2, 10), EM_MSP430);
        // R_NIOS2_BFD_RELOC_32; R_NIOS2_TLS_LDO16, R_NIOS2_TLS_DTPREL
        add(new RelocationTypes().four(12).nothing(39, 44), 113);
        // R_HEX_32; R_HEX_DTPREL_32
        add(new RelocationTypes().four(6).nothing(47), 164);
        // R_AARCH64_ABS32, R_AARCH64_ABS64; with 32-bit pointers R_AARCH64_P32_ABS32 is another number, see width()
        add(new RelocationTypes().four(258).eight(257), EM_AARCH64);
        // R_MICROBLAZE_32; R_MICROBLAZE_TLSDTPREL32
        add(new RelocationTypes().four(1).nothing(25), 189);
        // R_AMDGPU_ABS32_LO, R_AMDGPU_ABS32, R_AMDGPU_ABS64
        add(new RelocationTypes().four(1, 6).eight(3), 224);
        // R_RISCV_32, R_RISCV_64; R_RISCV_TLS_DTPREL32, R_RISCV_TLS_DTPREL64; ADD, SUB, SET and hints are of code
        add(new RelocationTypes().four(1).eight(2).nothing(8, 9).nothingFrom(33, 61), EM_RISCV);
        // R_LANAI_32
        add(new RelocationTypes().four(4), 244);
        // LLVM: R_BPF_64_ABS32, R_BPF_64_NODYLD32, R_BPF_64_ABS64, and before version 13 R_BPF_64_32, R_BPF_64_64.
        // Binutils before 2.42: R_BPF_DATA_32, R_BPF_DATA_64
        add(new RelocationTypes().four(3, 4, 10, 11).eight(1, 2, 12), 247);
        // R_VE_REFLONG, R_VE_REFQUAD; R_VE_DTPOFF64
        add(new RelocationTypes().four(1).eight(2).nothing(23), 251);
        // R_LARCH_32, R_LARCH_64; R_LARCH_TLS_DTPREL32, R_LARCH_TLS_DTPREL64; ADD, SUB and hints are of code
        add(new RelocationTypes().four(1).eight(2).nothing(8, 9).nothingFrom(47, 109), EM_LOONGARCH);
    }

    private final BitSet four = new BitSet();
    private final BitSet eight = new BitSet();
    private final BitSet nothing = new BitSet();

    private RelocationTypes() {
        // R_*_NONE of every processor
        nothing.set(0);
    }

    /** Returns the types of a processor, {@code e_machine}. */
    static RelocationTypes of(int machine) {
        return BY_MACHINE.getOrDefault(machine, NONE);
    }

    /**
     * Returns how many bytes an absolute relocation of this type writes, or {@link #NOTHING} or {@link #UNKNOWN}.
     *
     * @param bits of the file, 32 or 64
     */
    int width(int type, int bits) {
        if (type < 0) {
            return UNKNOWN;
        }
        if (four.get(type) || (bits == 32 && this == BY_MACHINE.get(EM_AARCH64) && type == 1)) {
            return Integer.BYTES;
        }
        if (eight.get(type)) {
            return Long.BYTES;
        }
        return nothing.get(type) ? NOTHING : UNKNOWN;
    }

    /** Returns whether an addend in the relocation is added to one in the place, as on SuperH, which uses both, and Xtensa. */
    boolean addsToPlace() {
        return this == BY_MACHINE.get(EM_SH) || this == BY_MACHINE.get(EM_XTENSA);
    }

    private static void add(RelocationTypes types, int... machines) {
        for (int machine : machines) {
            BY_MACHINE.put(machine, types);
        }
    }

    private RelocationTypes four(int... types) {
        return set(four, types);
    }

    private RelocationTypes eight(int... types) {
        return set(eight, types);
    }

    private RelocationTypes nothing(int... types) {
        return set(nothing, types);
    }

    /** @param last inclusive */
    private RelocationTypes nothingFrom(int first, int last) {
        nothing.set(first, last + 1);
        return this;
    }

    private RelocationTypes set(BitSet kind, int... types) {
        for (int type : types) {
            kind.set(type);
        }
        return this;
    }
}
