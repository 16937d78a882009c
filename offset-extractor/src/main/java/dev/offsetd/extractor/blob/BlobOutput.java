package dev.offsetd.extractor.blob;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes the numbers and strings of a blob: numbers as LEB128, strings as length and UTF-8. */
public final class BlobOutput {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** Starts without any. */
    public BlobOutput() {}

    /** A number of 64 bits without a sign; small ones take few bytes. */
    public BlobOutput unsigned(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    /** Small numbers of either sign take few bytes (zigzag). */
    public BlobOutput signed(long value) {
        return unsigned((value << 1) ^ (value >> 63));
    }

    /** A text. */
    public BlobOutput string(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        unsigned(utf8.length);
        out.writeBytes(utf8);
        return this;
    }

    /** A string or its absence. */
    public BlobOutput optional(@Nullable String text) {
        if (text == null) {
            return unsigned(0);
        }
        return unsigned(1).string(text);
    }

    /** Bytes as they are. */
    public BlobOutput bytes(byte[] raw) {
        out.writeBytes(raw);
        return this;
    }

    /** Bytes so far. */
    public int size() {
        return out.size();
    }

    /** All bytes so far. */
    public byte[] toBytes() {
        return out.toByteArray();
    }
}
