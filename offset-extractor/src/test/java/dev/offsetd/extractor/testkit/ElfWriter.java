package dev.offsetd.extractor.testkit;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DeflaterOutputStream;

/** An ELF file in the making (gABI ch. 4): a header, segments, sections in the order of their adding, section headers. */
public final class ElfWriter {

    /** Types of compression, {@code ch_type}. */
    public static final int ELFCOMPRESS_ZLIB = 1;

    public static final int ELFCOMPRESS_ZSTD = 2;

    public static final int EM_386 = 3;
    public static final int EM_S390 = 22;
    public static final int EM_X86_64 = 62;
    public static final int EM_AARCH64 = 183;

    private static final int SHT_PROGBITS = 1;
    private static final int SHT_STRTAB = 3;
    private static final int SHT_NOTE = 7;
    private static final int SHT_NOBITS = 8;
    private static final int SHF_ALLOC = 2;
    private static final int SHF_EXECINSTR = 4;
    private static final int SHF_COMPRESSED = 0x800;
    private static final int SHN_XINDEX = 0xffff;
    private static final int NT_GNU_BUILD_ID = 3;
    private static final int PT_TLS = 7;

    private final int bits;
    private final ByteOrder order;
    private final List<Section> sections = new ArrayList<>();
    private final List<byte[]> segments = new ArrayList<>();
    private int machine;
    private int type = 3;
    private boolean extendedNumbering;

    /** A shared object without sections, for x86-64 or i386, or big-endian s390. */
    public ElfWriter(int bits, ByteOrder order) {
        this.bits = bits;
        this.order = order;
        this.machine = order == ByteOrder.BIG_ENDIAN ? EM_S390 : bits == 64 ? EM_X86_64 : EM_386;
    }

    /** Sets {@code e_machine}. */
    public ElfWriter machine(int code) {
        this.machine = code;
        return this;
    }

    /** Sets {@code e_type}. */
    public ElfWriter type(int code) {
        this.type = code;
        return this;
    }

    /** Adds {@code .note.gnu.build-id}. */
    public ElfWriter buildId(byte... id) {
        byte[] note = new BinaryWriter(order)
                .u32(4)
                .u32(id.length)
                .u32(NT_GNU_BUILD_ID)
                .string("GNU")
                .bytes(id)
                .align(4)
                .toBytes();
        return add(new Section(".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, note, note.length));
    }

    public ElfWriter section(String name, byte[] contents) {
        return add(new Section(name, SHT_PROGBITS, 0, contents, contents.length));
    }

    /**
     * Adds a section of any type.
     *
     * @param link {@code sh_link}: 1 for the first section that was added
     * @param info {@code sh_info}
     * @param entryBytes {@code sh_entsize}
     */
    public ElfWriter section(String name, int sectionType, int link, int info, int entryBytes, byte[] contents) {
        return add(new Section(name, sectionType, 0, 0, contents, contents.length, link, info, entryBytes));
    }

    /** Adds a section that is loaded at this address. */
    public ElfWriter loaded(String name, long address, byte[] contents) {
        return add(new Section(name, SHT_PROGBITS, SHF_ALLOC, address, contents, contents.length, 0, 0, 0));
    }

    /** Adds a {@code PT_TLS} segment. */
    public ElfWriter tlsSegment(long address, long fileSize, long memorySize, long alignment) {
        BinaryWriter out = new BinaryWriter(order).u32(PT_TLS);
        int word = bits / 8;
        if (bits == 64) {
            out.u32(0);
        }
        out.integer(0, word).integer(address, word).integer(0, word);
        out.integer(fileSize, word).integer(memorySize, word);
        if (bits == 32) {
            out.u32(0);
        }
        segments.add(out.integer(alignment, word).toBytes());
        return this;
    }

    /** Adds a segment of code in a file of 64 bits, at the address that is also its place in the file. */
    public ElfWriter segment(int segmentType, long start, long size) {
        BinaryWriter out = new BinaryWriter(order).u32(segmentType).u32(5);
        out.u64(start).u64(start).u64(0).u64(size).u64(size);
        segments.add(out.u64(1).toBytes());
        return this;
    }

    /** Adds a section whose contents are elsewhere, as a debug file has them. */
    public ElfWriter noBits(String name, long size) {
        return add(new Section(name, SHT_NOBITS, SHF_ALLOC, new byte[0], size));
    }

    /** Adds a section of code at this address, whose contents are elsewhere, as a debug file has it. */
    public ElfWriter code(String name, long address, long size) {
        return add(new Section(name, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, address, new byte[0], size, 0, 0, 0));
    }

    /** Adds a section with {@code SHF_COMPRESSED} (gABI, "Section Compression"). */
    public ElfWriter compressed(String name, byte[] contents, int compression) {
        return compressedAs(
                name,
                compression == ELFCOMPRESS_ZSTD ? Zstd.compress(contents) : deflated(contents),
                compression,
                contents.length);
    }

    /** Adds a section with {@code SHF_COMPRESSED} of any contents, that claims any type and size. */
    public ElfWriter compressedAs(String name, byte[] stream, int compression, long claimedSize) {
        BinaryWriter out = new BinaryWriter(order).u32(compression);
        if (bits == 64) {
            out.u32(0).u64(claimedSize).u64(1);
        } else {
            out.u32(claimedSize).u32(1);
        }
        byte[] bytes = out.bytes(stream).toBytes();
        return add(new Section(name, SHT_PROGBITS, SHF_COMPRESSED, bytes, bytes.length));
    }

    /** Puts the number of sections and the index of their names into section header 0, as files with 65,280 of them do. */
    public ElfWriter extendedNumbering() {
        this.extendedNumbering = true;
        return this;
    }

    public byte[] toBytes() {
        List<Section> all = new ArrayList<>(sections);
        BinaryWriter names = new BinaryWriter(order).u8(0);
        List<Integer> nameOffsets = new ArrayList<>();
        for (Section section : all) {
            nameOffsets.add(names.size());
            names.string(section.name);
        }
        nameOffsets.add(names.size());
        names.string(".shstrtab");
        all.add(new Section(".shstrtab", SHT_STRTAB, 0, names.toBytes(), names.size()));

        int headerBytes = bits == 64 ? 64 : 52;
        BinaryWriter body = new BinaryWriter(order);
        segments.forEach(body::bytes);
        List<Integer> offsets = new ArrayList<>();
        for (Section section : all) {
            body.align(8);
            offsets.add(headerBytes + body.size());
            body.bytes(section.contents);
        }
        body.align(8);
        int headersOffset = headerBytes + body.size();
        int count = all.size() + 1;

        BinaryWriter out = new BinaryWriter(order);
        out.bytes((byte) 0x7f, (byte) 'E', (byte) 'L', (byte) 'F');
        out.u8(bits == 64 ? 2 : 1)
                .u8(order == ByteOrder.LITTLE_ENDIAN ? 1 : 2)
                .u8(1)
                .align(16);
        out.u16(type).u16(machine).u32(1);
        out.integer(0, bits / 8).integer(headerBytes, bits / 8).integer(headersOffset, bits / 8);
        out.u32(0)
                .u16(headerBytes)
                .u16(bits == 64 ? 56 : 32)
                .u16(segments.size())
                .u16(bits == 64 ? 64 : 40);
        out.u16(extendedNumbering ? 0 : count).u16(extendedNumbering ? SHN_XINDEX : count - 1);
        out.bytes(body.toBytes());
        Section reserved = extendedNumbering
                ? new Section("", 0, 0, 0, new byte[0], count, count - 1, 0, 0)
                : new Section("", 0, 0, 0, new byte[0], 0, 0, 0, 0);
        header(out, 0, reserved, 0);
        for (int i = 0; i < all.size(); i++) {
            header(out, nameOffsets.get(i), all.get(i), offsets.get(i));
        }
        return out.toBytes();
    }

    public Path writeTo(Path file) throws IOException {
        return Files.write(file, toBytes());
    }

    private ElfWriter add(Section section) {
        sections.add(section);
        return this;
    }

    private void header(BinaryWriter out, int name, Section section, int offset) {
        int word = bits / 8;
        out.u32(name).u32(section.type).integer(section.flags, word).integer(section.address, word);
        out.integer(offset, word)
                .integer(section.size, word)
                .u32(section.link)
                .u32(section.info)
                .integer(1, word)
                .integer(section.entryBytes, word);
    }

    private static byte[] deflated(byte[] contents) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(out)) {
            deflater.write(contents);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static final class Section {
        private final String name;
        private final int type;
        private final long flags;
        private final long address;
        private final byte[] contents;
        private final long size;
        private final int link;
        private final int info;
        private final int entryBytes;

        Section(String name, int type, long flags, byte[] contents, long size) {
            this(name, type, flags, 0, contents, size, 0, 0, 0);
        }

        Section(
                String name,
                int type,
                long flags,
                long address,
                byte[] contents,
                long size,
                int link,
                int info,
                int entryBytes) {
            this.name = name;
            this.type = type;
            this.flags = flags;
            this.address = address;
            this.contents = contents.clone();
            this.size = size;
            this.link = link;
            this.info = info;
            this.entryBytes = entryBytes;
        }
    }
}
