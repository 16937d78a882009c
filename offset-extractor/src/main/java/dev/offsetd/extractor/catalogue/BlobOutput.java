package dev.offsetd.extractor.catalogue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Writes the numbers and strings of a catalogue: numbers as LEB128, strings as length and UTF-8. */
final class BlobOutput {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    BlobOutput unsigned(long value) {
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            out.write((int) ((rest & 0x7f) | 0x80));
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    /** Small numbers of either sign take few bytes (zigzag). */
    BlobOutput signed(long value) {
        return unsigned((value << 1) ^ (value >> 63));
    }

    BlobOutput string(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        unsigned(utf8.length);
        out.writeBytes(utf8);
        return this;
    }

    /** A string or its absence. */
    BlobOutput optional(@Nullable String text) {
        if (text == null) {
            return unsigned(0);
        }
        return unsigned(1).string(text);
    }

    BlobOutput bytes(byte[] raw) {
        out.writeBytes(raw);
        return this;
    }

    int size() {
        return out.size();
    }

    byte[] toBytes() {
        return out.toByteArray();
    }
}
