package dev.offsetd.extractor.elf;

import java.nio.ByteOrder;

/** Names for {@code e_machine}, as {@code uname -m} spells them ({@code i386} for all of that family). */
final class Machines {

    private Machines() {}

    static String name(int machine, int bits, ByteOrder order) {
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
