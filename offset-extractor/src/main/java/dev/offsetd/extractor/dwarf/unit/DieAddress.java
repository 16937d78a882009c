package dev.offsetd.extractor.dwarf.unit;

/**
 * Where a DIE is, as one number: the section of units in the top 16 bits, the section offset below. So references go from
 * one section to another like references inside one, and a plain {@code .debug_info} offset is its own address. Each file
 * has two sections of units, {@code .debug_info} and {@code .debug_types}; the file itself has number 0.
 */
public final class DieAddress {

    private static final int SHIFT = 48;

    /** How many files can be told apart; an address stays positive. */
    static final int MAX_FILES = 1 << 14;

    private DieAddress() {}

    /** Returns the address of the first byte of a file's {@code .debug_info}. */
    static long info(int file) {
        return (long) file << (SHIFT + 1);
    }

    /** Returns the address of the first byte of a file's {@code .debug_types}. */
    static long types(int file) {
        return info(file) | 1L << SHIFT;
    }

    /** Returns the address of the first byte of the section of this number. */
    static long ofSection(int section) {
        return (long) section << SHIFT;
    }

    /** Returns the number of the section: twice that of its file, and one more for {@code .debug_types}. */
    static int section(long address) {
        return (int) (address >>> SHIFT);
    }

    static int file(long address) {
        return section(address) >>> 1;
    }

    static boolean isInTypes(long address) {
        return (section(address) & 1) != 0;
    }

    /** Bytes from the start of the section. */
    public static long offset(long address) {
        return address & ((1L << SHIFT) - 1);
    }
}
