package dev.offsetd.extractor.dwarf.abbreviation;

/**
 * Reference to a name, packed in a {@code long}: file and section in the top 16 bits, the offset of its first byte below.
 * Names stay bytes until they are shown, because most are only hashed and compared.
 */
public final class NameRef {

    /** No name. */
    public static final long NONE = -1;

    public static final int STR = 0;
    public static final int LINE_STR = 1;
    /** In the DIE itself, {@code DW_FORM_string}. */
    public static final int INFO = 2;

    public static final int TYPES = 3;
    /** An index into {@code .debug_str_offsets}, not yet looked up. */
    public static final int INDEX = 4;

    /** A name composed by the reader; the offset is an index into these names. */
    public static final int COMPOSED = 5;

    private static final int KIND_BITS = 3;
    private static final int SHIFT = 48;

    /** Number of files that names can tell apart. */
    public static final int MAX_FILES = 1 << (Long.SIZE - SHIFT - KIND_BITS);

    private static final long MASK = (1L << SHIFT) - 1;

    /** Returns the bits of this file, to be combined with a kind. */
    public static int inFile(int file) {
        return file << KIND_BITS;
    }

    private NameRef() {}

    /**
     * Returns a name.
     *
     * @param place a kind, plus {@link #inFile}
     * @param offset an offset of 2<sup>48</sup> or more becomes the largest that fits; both are outside every section
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
