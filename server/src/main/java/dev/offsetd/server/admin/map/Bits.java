package dev.offsetd.server.admin.map;

import java.util.Optional;

/**
 * A run of bits.
 *
 * @param first counted from the start of the drawn type in memory order; not negative
 * @param length how many; may be 0
 */
public record Bits(long first, long length) {

    public Bits {
        if (first < 0 || length < 0 || first + length < 0) {
            throw new IllegalArgumentException(
                    "bits " + first + " and " + length + " more; expected counts that add up");
        }
    }

    /** The run of these bytes; empty if its bits cannot be counted. */
    public static Optional<Bits> ofBytes(long offset, long size) {
        long most = Long.MAX_VALUE / Byte.SIZE;
        return offset < 0 || size < 0 || size > most || offset > most - size
                ? Optional.empty()
                : Optional.of(new Bits(offset * Byte.SIZE, size * Byte.SIZE));
    }

    /** The first bit behind it. */
    public long end() {
        return first + length;
    }

    /** Whether it begins and ends between bytes. */
    public boolean isWholeBytes() {
        return first % Byte.SIZE == 0 && length % Byte.SIZE == 0;
    }

    /** The byte that its first bit lies in. */
    public long offset() {
        return first / Byte.SIZE;
    }

    /** The bytes that it touches. */
    public long bytes() {
        return length == 0 ? 0 : (end() - 1) / Byte.SIZE - offset() + 1;
    }
}
