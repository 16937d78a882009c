package dev.offsetd.extractor.dwarf.abbreviation;

/**
 * Where a name stands, as one number: file and section in the top 16 bits, the offset of its first byte below. Names stay
 * bytes until they are shown.
 */
public final class NameRef {

    /** No name. */
    public static final long NONE = -1;

    public static final int STR = 0;
    public static final int LINE_STR = 1;
    /** In the DIE itself, by the section that it is in. */
    public static final int INFO = 2;

    public static final int TYPES = 3;
    /** An index into {@code .debug_str_offsets}, not yet looked up. */
    public static final int INDEX = 4;

    /** Put together by the reader; the offset is its number. */
    public static final int MADE = 5;

    private static final int KIND_BITS = 3;
    private static final int SHIFT = 48;
    private static final long MASK = (1L << SHIFT) - 1;

    /** Returns what tells a name in this file from one in another; to be added to the kind. */
    public static int inFile(int file) {
        return file << KIND_BITS;
    }

    private NameRef() {}

    /**
     * Returns a name.
     *
     * @param place a kind, plus {@link #inFile}
     * @param offset one past every section becomes the last that fits, which is past every section too
     */
    public static long of(int place, long offset) {
        return ((long) place << SHIFT) | (offset >>> SHIFT == 0 ? offset : MASK);
    }

    public static int kind(long ref) {
        return (int) (ref >>> SHIFT) & ((1 << KIND_BITS) - 1);
    }

    public static int file(long ref) {
        return (int) (ref >>> (SHIFT + KIND_BITS));
    }

    public static long offset(long ref) {
        return ref & MASK;
    }
}
