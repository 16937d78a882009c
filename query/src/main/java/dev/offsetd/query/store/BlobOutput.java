package dev.offsetd.query.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Writes the numbers and strings of a blob: numbers as LEB128, strings as length and UTF-8. */
public final class BlobOutput {

    /** Bytes of the longest number of 64 bits. */
    private static final int LONGEST_LEB128 = 10;

    /** Length of the longest array that every JVM can make. */
    static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

    /** Most bytes of an entry or directory; readers accept blocks of twice as many. */
    private static final int MAX_PART_BYTES =
            (int) Math.min(BlobTooLargeException.shareOfHeap(16), Zstd.MAX_BLOCK_BYTES / 2);

    // The JDK's own growing array takes a lock for each byte.
    private byte[] bytes;
    private final int maxBytes;
    private int size;

    /** Creates the output for an entry or directory. */
    public BlobOutput() {
        this(64, MAX_PART_BYTES);
    }

    /** @param expected number of bytes; more can be written */
    BlobOutput(int expected, int maxBytes) {
        this.bytes = new byte[expected];
        this.maxBytes = maxBytes;
    }

    /** Writes an unsigned 64-bit number; small numbers take few bytes. */
    public BlobOutput unsigned(long value) {
        ensure(LONGEST_LEB128);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    /** Writes a signed number; small ones of either sign take few bytes (zigzag). */
    public BlobOutput signed(long value) {
        return unsigned((value << 1) ^ (value >> 63));
    }

    /** A text. */
    public BlobOutput string(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return unsigned(utf8.length).bytes(utf8);
    }

    /** Writes a string or null. */
    public BlobOutput optional(@Nullable String text) {
        if (text == null) {
            return unsigned(0);
        }
        return unsigned(1).string(text);
    }

    /** Writes bytes as they are. */
    public BlobOutput bytes(byte[] raw) {
        ensure(raw.length);
        System.arraycopy(raw, 0, bytes, size, raw.length);
        size += raw.length;
        return this;
    }

    /** Returns the number of bytes so far. */
    public int size() {
        return size;
    }

    /** Returns all bytes so far. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    private void ensure(int more) {
        if (bytes.length - size < more) {
            long needed = (long) size + more;
            BlobTooLargeException.check("a type, name or list", needed, maxBytes);
            bytes = Arrays.copyOf(bytes, (int) Math.min(2 * needed, maxBytes));
        }
    }
}
