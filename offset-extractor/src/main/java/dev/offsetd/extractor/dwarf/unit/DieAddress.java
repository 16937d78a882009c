package dev.offsetd.extractor.dwarf.unit;

/**
 * Address of a DIE in any file of a reading, packed in a {@code long}: the number of the section of units in the top 16 bits,
 * the offset in that section below.
 *
 * <p>File 0 is the file itself; split files follow, and the supplementary file is last. Each file has two sections of units:
 * {@code .debug_info} has twice the number of its file, {@code .debug_types} one more. An offset in {@code .debug_info} of
 * the file itself is therefore its own address. Addresses are positive, since there are at most {@link
 * dev.offsetd.extractor.dwarf.abbreviation.NameRef#MAX_FILES} files, and in the order of sections and offsets; a reference to a
 * DIE that is missing is 0 or negative.
 *
 * <p>Plain numbers, because readers follow millions of references and maps are keyed by them. Variables that hold one are
 * called {@code dieAddress}, or end in {@code Die}: {@code typeDie}, {@code originDie}.
 */
public final class DieAddress {

    private static final int SHIFT = 48;

    private DieAddress() {}

    /** Returns the address of the first byte of a file's {@code .debug_info}. */
    static long info(int file) {
        return (long) file << (SHIFT + 1);
    }

    /** Returns the address of the first byte of the section of this number. */
    static long ofSection(int section) {
        return (long) section << SHIFT;
    }

    /** Returns the number of the section: twice that of its file, and one more for {@code .debug_types}. */
    static int section(long dieAddress) {
        return (int) (dieAddress >>> SHIFT);
    }

    static int file(long dieAddress) {
        return section(dieAddress) >>> 1;
    }

    static boolean isInTypes(long dieAddress) {
        return (section(dieAddress) & 1) != 0;
    }

    /** Returns the offset in the section. */
    public static long offset(long dieAddress) {
        return dieAddress & ((1L << SHIFT) - 1);
    }
}
