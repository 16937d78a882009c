package dev.offsetd.extractor.dwarf.abbreviation;

/**
 * Attributes that the plan of one DIE has captured. Reused for the next DIE; never retained.
 *
 * <p>A value is, by the class of its form: a constant (zero-extended, but for {@code DW_FORM_sdata} and
 * {@code DW_FORM_implicit_const}); a name as {@link NameRef}; a reference as the {@code DieAddress} of its DIE,
 * {@link #UNRESOLVED} or {@link #NOWHERE}; an expression as the offset of its first byte, with its length apart.
 */
public final class DieScratch {

    /** A reference into a supplementary file that was not given, or to a missing type unit. */
    public static final long UNRESOLVED = -1;

    /** A reference to a place that cannot have a DIE. */
    public static final long NOWHERE = -2;

    private final long[] values = new long[Slot.SLOTS];
    private final long[] expressionLengths = new long[Slot.SLOTS];
    private final byte[] fixedBytes = new byte[Slot.SLOTS];
    private long present;
    private long expressions;
    private long signed;

    public void clear() {
        present = 0;
        expressions = 0;
        signed = 0;
    }

    public void set(int slot, long value) {
        values[slot] = value;
        fixedBytes[slot] = 0;
        present |= 1L << slot;
    }

    /** Sets a constant of {@code bytes} bytes whose form does not state whether it is signed. */
    public void setFixed(int slot, long value, int bytes) {
        values[slot] = value;
        fixedBytes[slot] = (byte) bytes;
        present |= 1L << slot;
    }

    public void setExpression(int slot, long offset, long length) {
        values[slot] = offset;
        expressionLengths[slot] = length;
        present |= 1L << slot;
        expressions |= 1L << slot;
    }

    /** Marks the form of the value as signed. */
    public void markSigned(int slot) {
        signed |= 1L << slot;
    }

    public boolean has(int slot) {
        return (present & 1L << slot) != 0;
    }

    /** Returns whether a flag is there and true: {@code DW_FORM_flag} may also state that it is false. */
    public boolean isSet(int slot) {
        return has(slot) && values[slot] != 0;
    }

    public boolean isExpression(int slot) {
        return (expressions & 1L << slot) != 0;
    }

    /**
     * Returns the value, if {@link #has}, of an attribute that can be negative. Producers also write -3 as {@code
     * DW_FORM_data1} 0xfd, which has no sign, so fixed sizes are sign-extended.
     */
    public long getSigned(int slot) {
        int unused = Long.SIZE - fixedBytes[slot] * Byte.SIZE;
        boolean fixed = (signed & 1L << slot) == 0 && fixedBytes[slot] > 0;
        return fixed ? values[slot] << unused >> unused : values[slot];
    }

    /** Returns whether the value is negative in a signed form. */
    public boolean isNegative(int slot) {
        return (signed & 1L << slot) != 0 && values[slot] < 0;
    }

    /** Returns the size of a constant whose form does not state a sign; 0 if its form does. */
    public int fixedBytes(int slot) {
        return fixedBytes[slot];
    }

    /** Returns the value, if {@link #has}. */
    public long get(int slot) {
        return values[slot];
    }

    /** Returns the value, or {@code absent} if there is none or it is computed at run time. */
    public long get(int slot, long absent) {
        return has(slot) && !isExpression(slot) ? values[slot] : absent;
    }

    public long expressionLength(int slot) {
        return expressionLengths[slot];
    }
}
