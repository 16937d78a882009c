package dev.offsetd.extractor.dwarf;

/**
 * Where a name stands, as one number: the section in the top bits, the offset of its first byte below. Names stay bytes
 * until they are shown.
 */
final class NameRef {

    /** No name. */
    static final long NONE = -1;

    static final int STR = 0;
    static final int LINE_STR = 1;
    /** In the DIE itself, by the section that it is in. */
    static final int INFO = 2;

    static final int TYPES = 3;
    /** An index into {@code .debug_str_offsets}, not yet looked up. */
    static final int INDEX = 4;

    /** Added to the kind of a name that stands in the supplementary file. */
    static final int SUPPLEMENTARY = 8;

    private static final int SHIFT = 56;

    private NameRef() {}

    static long of(int kind, long offset) {
        return ((long) kind << SHIFT) | (offset & ((1L << SHIFT) - 1));
    }

    static int kind(long ref) {
        return (int) (ref >>> SHIFT);
    }

    static long offset(long ref) {
        return ref & ((1L << SHIFT) - 1);
    }
}
