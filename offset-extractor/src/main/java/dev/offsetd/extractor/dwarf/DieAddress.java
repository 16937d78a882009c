package dev.offsetd.extractor.dwarf;

/**
 * Where a DIE is, as one number: the section of units in the top bits, the section offset below. So references go from
 * one section to another like references inside one, and a plain {@code .debug_info} offset is its own address.
 */
final class DieAddress {

    /** Sections of units by their number: {@code .debug_info}, {@code .debug_types}, and the supplementary file's. */
    static final int INFO = 0;

    static final int TYPES = 1;
    static final int SUPPLEMENTARY_INFO = 2;
    static final int SECTIONS = 3;

    private static final int SHIFT = 56;

    private DieAddress() {}

    /** Address of the first byte of a section. */
    static long base(int section) {
        return (long) section << SHIFT;
    }

    static int section(long address) {
        return (int) (address >>> SHIFT);
    }

    /** Bytes from the start of the section. */
    static long offset(long address) {
        return address & ((1L << SHIFT) - 1);
    }
}
