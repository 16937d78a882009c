package dev.offsetd.extractor.layout;

import java.nio.ByteOrder;

/**
 * Target architecture of a build (gABI, ELF header).
 *
 * @param machine the processor, by the name that {@code uname -m} gives it ({@code x86_64}, {@code aarch64},
 *     {@code s390x}), {@code i386} for all 32-bit x86; {@code em-N} for an {@code e_machine} N that has no name here
 * @param bits 32 or 64, from {@code EI_CLASS}
 * @param byteOrder from {@code EI_DATA}
 */
public record Architecture(String machine, int bits, ByteOrder byteOrder) {

    public Architecture {
        if (bits != 32 && bits != 64) {
            throw new IllegalArgumentException("bits is " + bits + "; expected 32 or 64");
        }
    }

    /** Returns the size of an address. */
    public int addressBytes() {
        return bits / Byte.SIZE;
    }

    /** {@code "little"} or {@code "big"}. */
    public String byteOrderName() {
        return byteOrder == ByteOrder.LITTLE_ENDIAN ? "little" : "big";
    }
}
