package dev.offsetd.extractor.layout;

import java.math.BigInteger;
import java.util.List;

/**
 * Which values of the discriminant a member of a variant part is there for (DWARF 5 §5.7.10): Rust's enums with data.
 *
 * @param values of the discriminant; empty for the variant that is there for all values that no other is for, and for the
 *     only one
 * @param discriminantBytes size of the discriminant in bytes, or {@link TypeShape#UNKNOWN_SIZE}
 */
public record Variant(List<ValueRange> values, long discriminantBytes) {

    public Variant {
        values = List.copyOf(values);
    }

    /** Returns a value in hex; a negative one as the two's complement of the discriminant's size. */
    public String hex(BigInteger value) {
        int bits = (int) Math.max(discriminantBytes * Byte.SIZE, value.bitLength() + 1L);
        return "0x" + (value.signum() < 0 ? value.add(BigInteger.ONE.shiftLeft(bits)) : value).toString(16);
    }

    /**
     * Values from {@code first} to {@code last}, both included. Values of up to 64 bits are the two's complement of the
     * discriminant's size, as a {@code long} holds it.
     */
    public record ValueRange(BigInteger first, BigInteger last) {

        /** A range of values of up to 64 bits. */
        public ValueRange(long first, long last) {
            this(BigInteger.valueOf(first), BigInteger.valueOf(last));
        }

        /** Returns whether a value needs more than 64 bits. */
        public boolean isWide() {
            return first.bitLength() >= Long.SIZE || last.bitLength() >= Long.SIZE;
        }
    }
}
