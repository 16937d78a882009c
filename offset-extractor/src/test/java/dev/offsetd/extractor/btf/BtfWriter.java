package dev.offsetd.extractor.btf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.testkit.BinaryWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/** A {@code .BTF} section in the making; ids count from 1 in the order of adding. */
public final class BtfWriter {

    private final ByteOrder order;
    private final BinaryWriter types;
    private final BinaryWriter strings;
    private final long namesBefore;
    private int count;

    public BtfWriter(ByteOrder order) {
        this.order = order;
        this.types = new BinaryWriter(order);
        this.strings = new BinaryWriter(order).u8(0);
        this.namesBefore = 0;
    }

    /** Split BTF, whose ids and names continue those of a base. */
    BtfWriter(BtfWriter base) {
        this.order = base.order;
        this.types = new BinaryWriter(order);
        this.strings = new BinaryWriter(order);
        this.namesBefore = base.strings.size();
        this.count = base.count;
    }

    /** Adds a type; the words are what its kind adds. Returns its id. */
    public int add(int kind, boolean flag, String name, int vlen, long sizeOrType, long... words) {
        types.u32(name(name))
                .u32((flag ? 1L << 31 : 0) | (long) kind << 24 | vlen)
                .u32(sizeOrType);
        for (long word : words) {
            types.u32(word);
        }
        return ++count;
    }

    /** A type that only refers to another. */
    int refer(int kind, String name, long target) {
        return add(kind, false, name, 0, target);
    }

    /** A signed integer of this many bytes. */
    public int signed(String name, int bytes) {
        return add(Btf.BTF_KIND_INT, false, name, 0, bytes, 1L << 24 | bytes * 8L);
    }

    /** Offset of a name in the string table; 0 for none. */
    public long name(String name) {
        if (name.isEmpty()) {
            return 0;
        }
        long offset = namesBefore + strings.size();
        strings.string(name);
        return offset;
    }

    public byte[] toBytes() {
        return header(24, types.size())
                .bytes(types.toBytes())
                .bytes(strings.toBytes())
                .toBytes();
    }

    /** The section with the header of Linux 7, and the sizes of the kinds, 4 bytes each, between types and strings. */
    byte[] toBytesWithLayout(int kinds) {
        byte[] layout = new byte[4 * kinds];
        return header(32, types.size() + layout.length)
                .u32(types.size())
                .u32(layout.length)
                .bytes(types.toBytes())
                .bytes(layout)
                .bytes(strings.toBytes())
                .toBytes();
    }

    private BinaryWriter header(int bytes, long stringsOffset) {
        return new BinaryWriter(order)
                .u16(0xeb9f)
                .u8(1)
                .u8(0)
                .u32(bytes)
                .u32(0)
                .u32(types.size())
                .u32(stringsOffset)
                .u32(strings.size());
    }

    static Section section(byte[] bytes, ByteOrder order) {
        return new Section(".BTF", MemorySegment.ofArray(bytes), order);
    }

    /** Returns the sections of a file that is not a kernel module. */
    static BtfSections alone(Section own) {
        Section none = Section.absent(own.name(), own.byteOrder());
        return new BtfSections(own, none, none);
    }
}
