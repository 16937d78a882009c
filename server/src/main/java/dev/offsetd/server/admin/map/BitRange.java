package dev.offsetd.server.admin.map;

import dev.offsetd.server.admin.Format;
import java.nio.ByteOrder;

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

    /** Returns {@code 24 (0x18)}. */
    public String offsetText() {
        return Format.count(offset()) + " (" + Format.hex(offset()) + ")";
    }

    /** Returns {@code 8 bytes}, {@code 3 bits} or {@code 4 bytes and 3 bits}. */
    public String lengthText() {
        long bytes = length / Byte.SIZE;
        long rest = length % Byte.SIZE;
        if (rest == 0) {
            return Format.count(bytes, "byte");
        }
        return bytes == 0
                ? Format.count(rest, "bit")
                : Format.count(bytes, "byte") + " and " + Format.count(rest, "bit");
    }

    /** Returns {@code bits 3 to 4 of 1 byte}: bits of the integer that the bytes form, counted from the lowest. */
    public String bitsText(ByteOrder order) {
        long lowest =
                order == ByteOrder.LITTLE_ENDIAN ? first % Byte.SIZE : bytes() * Byte.SIZE - first % Byte.SIZE - length;
        return (length == 1 ? "bit " + lowest : "bits " + lowest + " to " + (lowest + length - 1)) + " of "
                + Format.count(bytes(), "byte");
    }
}
