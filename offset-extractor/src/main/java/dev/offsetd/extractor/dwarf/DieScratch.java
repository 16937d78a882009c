package dev.offsetd.extractor.dwarf;

/**
 * What the plan of one DIE captured. One is used for many DIEs, one after the other; nothing keeps it.
 *
 * <p>A value is, by the class of its form: a constant (zero-extended, but for {@code DW_FORM_sdata} and
 * {@code DW_FORM_implicit_const}); a name as {@link NameRef}; a reference as the {@link DieAddress} of its DIE or
 * {@link #UNRESOLVED}; an expression as the offset of its first byte, with its length apart.
 */
final class DieScratch {

    /** A reference into a file that was not given (supplementary file, or a type unit that is not there). */
    static final long UNRESOLVED = -1;

    private final long[] values = new long[Slot.SLOTS];
    private final long[] expressionLengths = new long[Slot.SLOTS];
    private final byte[] fixedBytes = new byte[Slot.SLOTS];
    private long present;
    private long expressions;
    private long signed;

    void clear() {
        present = 0;
        expressions = 0;
        signed = 0;
    }

    void set(int slot, long value) {
        values[slot] = value;
        fixedBytes[slot] = 0;
        present |= 1L << slot;
    }

    /** Sets a constant of this many bytes, whose form does not say whether it has a sign. */
    void setFixed(int slot, long value, int bytes) {
        values[slot] = value;
        fixedBytes[slot] = (byte) bytes;
        present |= 1L << slot;
    }

    void setExpression(int slot, long offset, long length) {
        values[slot] = offset;
        expressionLengths[slot] = length;
        present |= 1L << slot;
        expressions |= 1L << slot;
    }

    /** Notes that the form of the value has a sign. */
    void markSigned(int slot) {
        signed |= 1L << slot;
    }

    boolean has(int slot) {
        return (present & 1L << slot) != 0;
    }

    boolean isExpression(int slot) {
        return (expressions & 1L << slot) != 0;
    }

    /**
     * Returns the value, if {@link #has}, of an attribute that can be below 0: producers write -3 in one byte, too, as
     * 0xfd.
     */
    long getSigned(int slot) {
        int unused = Long.SIZE - fixedBytes[slot] * Byte.SIZE;
        boolean fixed = (signed & 1L << slot) == 0 && fixedBytes[slot] > 0;
        return fixed ? values[slot] << unused >> unused : values[slot];
    }

    /** Returns whether the value is below 0, in a form that can say so. */
    boolean isNegative(int slot) {
        return (signed & 1L << slot) != 0 && values[slot] < 0;
    }

    /** Bytes of a constant whose form does not say whether it has a sign; 0 if its form does. */
    int fixedBytes(int slot) {
        return fixedBytes[slot];
    }

    /** Returns the value, if {@link #has}. */
    long get(int slot) {
        return values[slot];
    }

    /** Returns the value, or {@code absent} if there is none, or only the running program knows it. */
    long get(int slot, long absent) {
        return has(slot) && !isExpression(slot) ? values[slot] : absent;
    }

    long expressionLength(int slot) {
        return expressionLengths[slot];
    }
}
