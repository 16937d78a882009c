package dev.offsetd.query.store;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Reader of the bytes that {@link BlobOutput} writes; throws {@link CorruptBlobException} for any other input. */
public final class BlobInput {

    private final byte[] bytes;
    private final int end;
    private int position;

    public BlobInput(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    /** Creates a reader of a range of bytes. */
    BlobInput(byte[] bytes, int start, int end) {
        if (start < 0 || start > end || end > bytes.length) {
            throw new CorruptBlobException(
                    "bytes " + start + " to " + end + " in a block of " + bytes.length + " bytes");
        }
        this.bytes = bytes;
        this.position = start;
        this.end = end;
    }

    /** Reads an unsigned 64-bit number. */
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

    /** Reads a signed number. */
    public long signed() {
        long value = unsigned();
        return (value >>> 1) ^ -(value & 1);
    }

    /** Reads a count or index, which is neither negative nor huge. */
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

    /** Reads a string or null. */
    public @Nullable String optional() {
        return count() == 0 ? null : string();
    }

    /** Returns the number of bytes after the current position. */
    public int remaining() {
        return end - position;
    }

    /** Returns the current position. */
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
