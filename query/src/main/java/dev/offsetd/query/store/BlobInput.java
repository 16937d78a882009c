package dev.offsetd.query.store;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reads what {@link BlobOutput} wrote; whatever else it is given ends in a {@link CorruptBlobException}. */
public final class BlobInput {

    private final byte[] bytes;
    private final int end;
    private int position;

    public BlobInput(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    /** Reads a part of the bytes. */
    BlobInput(byte[] bytes, int start, int end) {
        if (start < 0 || start > end || end > bytes.length) {
            throw new CorruptBlobException(
                    "bytes " + start + " to " + end + " in a block of " + bytes.length + " bytes");
        }
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    /** A number of 64 bits without a sign. */
    public long unsigned() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = next();
            value |= (next & 0x7fL) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new CorruptBlobException("a number does not end at byte " + position);
    }

    /** A number of either sign. */
    public long signed() {
        long value = unsigned();
        return (value >>> 1) ^ -(value & 1);
    }

    /** A number that counts or numbers something, so it is not negative and not huge. */
    public int count() {
        long value = unsigned();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new CorruptBlobException("count " + Long.toUnsignedString(value) + " at byte " + position);
        }
        return (int) value;
    }

    /** A text. */
    public String string() {
        int length = count();
        if (length > end - position) {
            throw new CorruptBlobException("string of " + length + " bytes at byte " + position);
        }
        String text = new String(bytes, position, length, StandardCharsets.UTF_8);
        position += length;
        return text;
    }

    /** A text or its absence. */
    public @Nullable String optional() {
        return count() == 0 ? null : string();
    }

    /** Bytes behind the current place. */
    public int remaining() {
        return end - position;
    }

    /** Bytes before the current place. */
    public int position() {
        return position;
    }

    private int next() {
        if (position >= end) {
            throw new CorruptBlobException("entry ends at byte " + position);
        }
        return bytes[position++] & 0xff;
    }
}
