package dev.offsetd.extractor.testkit;

import java.io.ByteArrayOutputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Bytes in the making: integers in one byte order, LEB128, strings. */
public final class BinaryWriter {

    private final ByteOrder order;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public BinaryWriter(ByteOrder order) {
        this.order = order;
    }

    /** Bytes written so far. */
    public int size() {
        return out.size();
    }

    /** The lowest {@code size} bytes of the value, in the byte order; bytes past the eighth repeat its sign. */
    public BinaryWriter integer(long value, int size) {
        for (int i = 0; i < size; i++) {
            int significance = order == ByteOrder.LITTLE_ENDIAN ? i : size - 1 - i;
            out.write((int) (significance < 8 ? value >> (8 * significance) : value >> 63));
        }
        return this;
    }

    public BinaryWriter u8(long value) {
        return integer(value, 1);
    }

    public BinaryWriter u16(long value) {
        return integer(value, 2);
    }

    public BinaryWriter u32(long value) {
        return integer(value, 4);
    }

    public BinaryWriter u64(long value) {
        return integer(value, 8);
    }

    /** Unsigned LEB128 (DWARF 5 §7.6). */
    public BinaryWriter uleb(long value) {
        long rest = value;
        while (Long.compareUnsigned(rest, 0x7f) > 0) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
        return this;
    }

    /** Signed LEB128 (DWARF 5 §7.6). */
    public BinaryWriter sleb(long value) {
        long rest = value;
        while (rest < -64 || rest > 63) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>= 7;
        }
        out.write((int) (rest & 0x7f));
        return this;
    }

    /** The text in UTF-8, and a null byte. */
    public BinaryWriter string(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8)).u8(0);
    }

    public BinaryWriter bytes(byte... bytes) {
        out.writeBytes(bytes);
        return this;
    }

    /** Null bytes up to the next multiple of {@code alignment}. */
    public BinaryWriter align(int alignment) {
        while (out.size() % alignment != 0) {
            out.write(0);
        }
        return this;
    }

    public byte[] toBytes() {
        return out.toByteArray();
    }
}
