package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.nio.ByteOrder;

/**
 * An ELF file with symbols in the making. Section 1 is code at 0x1000, 2 the strings, 4 {@code .symtab}, 5
 * {@code .dynsym}; versions 2 and 3 are defined here as OLD and NEW, 4 is needed of another file as OTHER.
 */
public final class SymbolFile {

    public static final int GLOBAL_FUNC = 0x12;
    public static final int LOCAL_FUNC = 0x02;
    public static final int GLOBAL_OBJECT = 0x11;
    public static final int LOCAL_FILE = 0x04;
    public static final int LOCAL_SECTION = 0x03;
    public static final int SHN_ABS = 0xfff1;

    /** The section index that is 1 in {@code .symtab_shndx}. */
    public static final int SHN_XINDEX = 0xffff;

    private static final int CODE_BYTES = 0x1000;

    private final int bits;
    private final ByteOrder order;
    private final ElfWriter elf;
    private final BinaryWriter strings;
    private final BinaryWriter linked;
    private final BinaryWriter dynamic;
    private final BinaryWriter numbers;
    private BinaryWriter definitions;
    private BinaryWriter needs;
    private int linkedEntryBytes;
    private int linkedStrings = 2;
    private byte[] debugData = {};

    public SymbolFile(int bits, ByteOrder order) {
        this.bits = bits;
        this.order = order;
        elf = new ElfWriter(bits, order);
        strings = new BinaryWriter(order).u8(0);
        linked = entry(new BinaryWriter(order), 0, 0, 0, 0, 0);
        dynamic = entry(new BinaryWriter(order), 0, 0, 0, 0, 0);
        numbers = new BinaryWriter(order).u16(0);
        linkedEntryBytes = entryBytes();
        definitions = new BinaryWriter(order);
        definition(1, 1, "libtest.so", 28);
        definition(0, 2, "OLD", 28);
        definition(0, 3, "NEW", 0);
        needs = new BinaryWriter(order)
                .u16(1)
                .u16(1)
                .u32(string("libother.so"))
                .u32(16)
                .u32(0)
                .u32(0)
                .u16(0)
                .u16(4)
                .u32(string("OTHER"))
                .u32(0);
    }

    public SymbolFile() {
        this(64, ByteOrder.LITTLE_ENDIAN);
    }

    private int entryBytes() {
        return bits == 64 ? 24 : 16;
    }

    private int string(String text) {
        int at = strings.size();
        strings.string(text);
        return at;
    }

    private void definition(int flags, int index, String name, int next) {
        definitions.u16(1).u16(flags).u16(index).u16(1).u32(0).u32(20).u32(next);
        definitions.u32(string(name)).u32(0);
    }

    private BinaryWriter entry(BinaryWriter out, int name, int info, int section, long value, long size) {
        return bits == 64
                ? out.u32(name).u8(info).u8(0).u16(section).u64(value).u64(size)
                : out.u32(name).u32(value).u32(size).u8(info).u8(0).u16(section);
    }

    /** Adds an entry to {@code .symtab}. */
    public SymbolFile linked(String name, int info, int section, long value, long size) {
        entry(linked, name.isEmpty() ? 0 : string(name), info, section, value, size);
        return this;
    }

    /** Adds entries to {@code .symtab} that all have the string at this offset for a name. */
    public SymbolFile linkedAt(int nameOffset, int count) {
        for (int i = 0; i < count; i++) {
            entry(linked, nameOffset, GLOBAL_FUNC, 1, 0x1000L + i, 1);
        }
        return this;
    }

    /** Adds a function to {@code .dynsym}. */
    public SymbolFile dynamic(String name, int version, int section, long value, long size) {
        return dynamic(name, GLOBAL_FUNC, version, section, value, size);
    }

    public SymbolFile dynamic(String name, int info, int version, int section, long value, long size) {
        entry(dynamic, string(name), info, section, value, size);
        numbers.u16(version);
        return this;
    }

    /** Lets {@code .symtab} claim another {@code sh_entsize}. */
    public SymbolFile linkedEntryBytes(int bytes) {
        linkedEntryBytes = bytes;
        return this;
    }

    /** Lets {@code .symtab} have its names in another section. */
    public SymbolFile linkedStrings(int section) {
        linkedStrings = section;
        return this;
    }

    /** Puts other bytes in place of {@code .gnu.version_d}. */
    public SymbolFile definitions(BinaryWriter bytes) {
        definitions = bytes;
        return this;
    }

    /** Puts other bytes in place of {@code .gnu.version_r}. */
    public SymbolFile needs(BinaryWriter bytes) {
        needs = bytes;
        return this;
    }

    /** Adds {@code .gnu_debugdata}. */
    public SymbolFile debugData(byte... stream) {
        debugData = stream.clone();
        return this;
    }

    public SymbolFile machine(int code) {
        elf.machine(code);
        return this;
    }

    public SymbolFile relocatable() {
        elf.type(1);
        return this;
    }

    public byte[] toBytes() {
        BinaryWriter extendedIndexes = new BinaryWriter(order);
        for (int i = 0; i < linked.size() / entryBytes(); i++) {
            extendedIndexes.u32(1);
        }
        ElfWriter whole = elf.loaded(".text", 0x1000, new byte[CODE_BYTES])
                .section(".strtab", 3, 0, 0, 0, strings.toBytes())
                .section(".symtab_shndx", 18, 4, 0, 4, extendedIndexes.toBytes())
                .section(".symtab", 2, linkedStrings, 1, linkedEntryBytes, linked.toBytes());
        if (dynamic.size() > entryBytes()) {
            whole.section(".dynsym", 11, 2, 1, entryBytes(), dynamic.toBytes())
                    .section(".gnu.version", 0x6fffffff, 5, 0, 2, numbers.toBytes())
                    .section(
                            ".gnu.version_d",
                            0x6ffffffd,
                            2,
                            Math.max(9, definitions.size() / 28),
                            0,
                            definitions.toBytes())
                    .section(".gnu.version_r", 0x6ffffffe, 2, 9, 0, needs.toBytes());
        }
        if (debugData.length > 0) {
            whole.section(".gnu_debugdata", debugData);
        }
        return whole.toBytes();
    }
}
