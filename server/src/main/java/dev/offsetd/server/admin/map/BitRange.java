package dev.offsetd.server.admin.map;

import java.util.Optional;

/**
 * A range of bits.
 *
 * @param first offset from the start of the type in memory order; not negative
 * @param length may be 0
 */
public record BitRange(long first, long length) {

    public BitRange {
        if (first < 0 || length < 0 || first + length < 0) {
            throw new IllegalArgumentException(
                    "bits " + first + " and " + length + " more; expected a range below 2^63");
        }
    }

    /** Returns the range of these bytes; empty if the bits overflow a long. */
    public static Optional<BitRange> ofBytes(long offset, long size) {
        long most = Long.MAX_VALUE / Byte.SIZE;
        return offset < 0 || size < 0 || size > most || offset > most - size
                ? Optional.empty()
                : Optional.of(new BitRange(offset * Byte.SIZE, size * Byte.SIZE));
    }

    /** Returns the first bit after the range. */
    public long end() {
        return first + length;
    }

    /** Returns whether it starts and ends on byte boundaries. */
    public boolean isWholeBytes() {
        return first % Byte.SIZE == 0 && length % Byte.SIZE == 0;
    }

    /** Returns the byte of its first bit. */
    public long offset() {
        return first / Byte.SIZE;
    }

    /** Returns the number of bytes that it overlaps. */
    public long bytes() {
        return length == 0 ? 0 : (end() - 1) / Byte.SIZE - offset() + 1;
    }
}
