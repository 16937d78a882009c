package dev.offsetd.query.export;

import dev.offsetd.extractor.input.BytesKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The two sections of BTF: records of types and strings (btf.rst §2). Ids from 1 on are reserved for named types; all other
 * records get the next id behind them, and equal records one. Not thread-safe.
 */
final class BtfEncoder {

    static final int PTR = 2;
    static final int ARRAY = 3;
    static final int STRUCT = 4;
    static final int UNION = 5;
    static final int ENUM = 6;
    static final int FWD = 7;
    static final int TYPEDEF = 8;
    static final int VOLATILE = 9;
    static final int CONST = 10;
    static final int RESTRICT = 11;
    static final int FUNC_PROTO = 13;
    static final int FLOAT = 16;
    static final int ENUM64 = 19;
    static final int INT = 1;

    /** Most members, enumerators or parameters of a type: 16 bits, as before Linux 7. */
    static final int MAX_PARTS = 0xffff;

    /** {@code BTF_MAX_TYPE} of the kernel's btf.h. */
    static final int MAX_TYPES = 0xfffff;

    /** Most bytes of strings. A hostile build may have that many names. */
    private static final int MAX_STRING_BYTES = 1 << 28;

    private static final int MAGIC = 0xeb9f;
    private static final int HEADER_BYTES = 24;

    private final ByteOrder order;
    private final byte[][] named;
    private final List<byte[]> others = new ArrayList<>();
    private final Map<BytesKey, Integer> ids = new HashMap<>();
    private final Map<String, Integer> offsets = new HashMap<>();
    private final ByteArrayOutputStream strings = new ByteArrayOutputStream();

    /**
     * Begins BTF.
     *
     * @param named number of ids that are reserved for named types
     */
    BtfEncoder(ByteOrder order, int named) {
        if (named > MAX_TYPES) {
            throw new ExportLimitException(named + " named types; BTF has at most " + MAX_TYPES);
        }
        this.order = order;
        this.named = new byte[named][];
        strings.write(0);
        offsets.put("", 0);
    }

    /** One record. */
    final class Entry {

        private ByteBuffer bytes;

        /** @param parts number of members, enumerators or parameters */
        private Entry(String name, int kind, boolean flag, int parts, int sizeOrType, int capacity) {
            bytes = ByteBuffer.allocate(12 + capacity).order(order);
            bytes.putInt(string(name))
                    .putInt((flag ? 1 << 31 : 0) | kind << 24 | parts)
                    .putInt(sizeOrType);
        }

        Entry word(int value) {
            bytes.putInt(value);
            return this;
        }

        Entry name(String name) {
            return word(string(name));
        }
    }

    /** Begins a record that is followed by so many words for its kind. */
    Entry entry(String name, int kind, boolean flag, int parts, int sizeOrType, int words) {
        return new Entry(name, kind, flag, parts, sizeOrType, words * Integer.BYTES);
    }

    /** Returns the id of a record: that of an equal one, if there is one. */
    int add(Entry entry) {
        byte[] record = entry.bytes.array();
        BytesKey key = new BytesKey(record);
        Integer known = ids.get(key);
        if (known == null) {
            known = named.length + others.size() + 1;
            if (known > MAX_TYPES) {
                throw new ExportLimitException("more than " + MAX_TYPES + " types; expected fewer: select some items");
            }
            ids.put(key, known);
            others.add(record);
        }
        return known;
    }

    /** Sets the record of a named type. */
    void set(int id, Entry entry) {
        named[id - 1] = entry.bytes.array();
    }

    private int string(String text) {
        Integer known = offsets.get(text);
        if (known == null) {
            known = strings.size();
            offsets.put(text, known);
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            if (known + utf8.length + 1L > MAX_STRING_BYTES) {
                throw new ExportLimitException("more than " + MAX_STRING_BYTES + " bytes of names; select some items");
            }
            strings.write(utf8, 0, utf8.length);
            strings.write(0);
        }
        return known;
    }

    void writeTo(OutputStream out) throws IOException {
        long typeBytes = 0;
        for (byte[] record : named) {
            typeBytes += record.length;
        }
        for (byte[] record : others) {
            typeBytes += record.length;
        }
        if (typeBytes + strings.size() > Integer.MAX_VALUE) {
            throw new ExportLimitException(typeBytes + " bytes of types; select some items");
        }
        out.write(ByteBuffer.allocate(HEADER_BYTES)
                .order(order)
                .putShort((short) MAGIC)
                .put((byte) 1)
                .put((byte) 0)
                .putInt(HEADER_BYTES)
                .putInt(0)
                .putInt((int) typeBytes)
                .putInt((int) typeBytes)
                .putInt(strings.size())
                .array());
        for (byte[] record : named) {
            out.write(record);
        }
        for (byte[] record : others) {
            out.write(record);
        }
        strings.writeTo(out);
    }
}
