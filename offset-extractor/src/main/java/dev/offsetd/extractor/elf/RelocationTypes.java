package dev.offsetd.extractor.elf;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Effects of the relocation types of one processor on debug sections of a relocatable file, by the ABI document of the
 * processor: absolute ones of 16 to 64 bits, differences of code addresses where the linker shortens code, and those that
 * change nothing which is read. All others are unknown: they may be what a type is found by.
 */
final class RelocationTypes {

    /** How the value of the symbol changes the place. */
    enum Operation {
        NOTHING,
        SET,
        ADD,
        SUBTRACT
    }

    /** @param bytes of the place, or {@link #LEB} */
    record Effect(Operation operation, int bytes) {

        /** The place has a number in ULEB128, whose length stays. */
        static final int LEB = 0;
    }

    private static final Effect NOTHING = new Effect(Operation.NOTHING, 0);
    private static final Effect FOUR = new Effect(Operation.SET, Integer.BYTES);

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
        // R_AVR_32; R_AVR_16: clang has addresses of 16 bits; R_AVR_16_PM counts words of code, and R_AVR_DIFF8 to
        // R_AVR_DIFF32 are hints
        add(new RelocationTypes().four(1).two(4).nothing(5).nothingFrom(30, 32), EM_AVR);
        // R_OR1K_32; R_OR1K_TLS_DTPOFF
        add(new RelocationTypes().four(1).nothing(33), 92);
        // R_ARC_32; R_ARC_TLS_DTPOFF. EM_ARC_COMPACT, EM_ARC_COMPACT2
        add(new RelocationTypes().four(4).nothing(67), 93, 195);
        // R_XTENSA_32; R_XTENSA_TLS_DTPOFF; R_XTENSA_DIFF8 to R_XTENSA_DIFF32 and their PDIFF and NDIFF are hints
        add(new RelocationTypes().four(1).nothing(52).nothingFrom(17, 19).nothingFrom(57, 62), EM_XTENSA);
        // R_MSP430_32; R_MSP430_16 and R_MSP430_16_BYTE, in MSP430X R_MSP430_ABS16: addresses have 16 bits there. The
        // others up to R_MSP430_SYM_DIFF are of code, or hints
        add(new RelocationTypes().four(1).nothingFrom(2, 10).two(2, 3, 5), EM_MSP430);
        // R_NIOS2_BFD_RELOC_32; R_NIOS2_TLS_LDO16, R_NIOS2_TLS_DTPREL
        add(new RelocationTypes().four(12).nothing(39, 44), 113);
        // R_HEX_32; R_HEX_DTPREL_32
        add(new RelocationTypes().four(6).nothing(47), 164);
        // R_AARCH64_ABS32, R_AARCH64_ABS64; with 32-bit pointers R_AARCH64_P32_ABS32 is another number, see effect()
        add(new RelocationTypes().four(258).eight(257), EM_AARCH64);
        // R_MICROBLAZE_32; R_MICROBLAZE_TLSDTPREL32
        add(new RelocationTypes().four(1).nothing(25), 189);
        // R_AMDGPU_ABS32_LO, R_AMDGPU_ABS32, R_AMDGPU_ABS64
        add(new RelocationTypes().four(1, 6).eight(3), 224);
        // R_RISCV_32, R_RISCV_64; R_RISCV_TLS_DTPREL32, R_RISCV_TLS_DTPREL64; hints, and SET6 and SUB6 of unwind
        // tables; ADD8 to ADD64, SUB8 to SUB64; SET8 to SET32; SET_ULEB128, SUB_ULEB128
        RelocationTypes riscv =
                new RelocationTypes().four(1).eight(2).nothing(8, 9).nothingFrom(41, 53);
        riscv.differences(33, 37, 1, 2, 4, 8).nothingFrom(57, 59);
        riscv.set(Operation.SET, 1, 54).set(Operation.SET, 2, 55).four(56);
        add(riscv.set(Operation.SET, Effect.LEB, 60).set(Operation.SUBTRACT, Effect.LEB, 61), EM_RISCV);
        // R_LANAI_32
        add(new RelocationTypes().four(4), 244);
        // LLVM: R_BPF_64_ABS32, R_BPF_64_NODYLD32, R_BPF_64_ABS64, and before version 13 R_BPF_64_32, R_BPF_64_64.
        // Binutils before 2.42: R_BPF_DATA_32, R_BPF_DATA_64
        add(new RelocationTypes().four(3, 4, 10, 11).eight(1, 2, 12), 247);
        // R_VE_REFLONG, R_VE_REFQUAD; R_VE_DTPOFF64
        add(new RelocationTypes().four(1).eight(2).nothing(23), 251);
        // R_LARCH_32, R_LARCH_64; R_LARCH_TLS_DTPREL32, R_LARCH_TLS_DTPREL64; hints, and ADD6 and SUB6 of unwind
        // tables; ADD8, ADD16, ADD24, ADD32, ADD64, and SUB the same; ADD_ULEB128, SUB_ULEB128
        RelocationTypes loongArch =
                new RelocationTypes().four(1).eight(2).nothing(8, 9).nothingFrom(57, 106);
        loongArch.differences(47, 52, 1, 2, 3, 4, 8);
        loongArch
                .set(Operation.ADD, Effect.LEB, 107)
                .set(Operation.SUBTRACT, Effect.LEB, 108)
                .nothing(109);
        add(loongArch, EM_LOONGARCH);
    }

    /** Effects by type; null where it is unknown. */
    private @Nullable Effect[] effects = new Effect[128];

    private RelocationTypes() {
        // R_*_NONE of every processor
        effects[0] = NOTHING;
    }

    /** Returns the types of a processor, {@code e_machine}. */
    static RelocationTypes of(int machine) {
        return BY_MACHINE.getOrDefault(machine, NONE);
    }

    /**
     * Returns the effect of a type; null if it is unknown.
     *
     * @param bits of the file, 32 or 64
     */
    @Nullable
    Effect effect(int type, int bits) {
        if (bits == 32 && this == BY_MACHINE.get(EM_AARCH64) && type == 1) {
            return FOUR;
        }
        return type >= 0 && type < effects.length ? effects[type] : null;
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

    private RelocationTypes two(int... types) {
        return set(new Effect(Operation.SET, Short.BYTES), types);
    }

    private RelocationTypes four(int... types) {
        return set(FOUR, types);
    }

    private RelocationTypes eight(int... types) {
        return set(new Effect(Operation.SET, Long.BYTES), types);
    }

    private RelocationTypes nothing(int... types) {
        return set(NOTHING, types);
    }

    /** @param last inclusive */
    private RelocationTypes nothingFrom(int first, int last) {
        for (int type = first; type <= last; type++) {
            set(NOTHING, type);
        }
        return this;
    }

    /** Numbers the types that add, and those that subtract, by how many bytes they do so in. */
    private RelocationTypes differences(int firstAdd, int firstSubtract, int... bytes) {
        for (int i = 0; i < bytes.length; i++) {
            set(Operation.ADD, bytes[i], firstAdd + i).set(Operation.SUBTRACT, bytes[i], firstSubtract + i);
        }
        return this;
    }

    private RelocationTypes set(Operation operation, int bytes, int type) {
        return set(new Effect(operation, bytes), type);
    }

    private RelocationTypes set(Effect effect, int... types) {
        for (int type : types) {
            if (type >= effects.length) {
                effects = Arrays.copyOf(effects, 2 * type);
            }
            effects[type] = effect;
        }
        return this;
    }
}
