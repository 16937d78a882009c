package dev.offsetd.extractor.go;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.BinaryWriter;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A program of one segment at {@link #BASE} on a little-endian machine of 64 bits, for Go 1.19 or 1.27. */
final class GoImage {

    static final long BASE = 0x10000;

    private static final int TYPES = 0x180;

    /** Where the names of a row of descriptors are. */
    private static final int NAMES = 0x400;

    private final ByteBuffer bytes;
    private final List<Integer> links = new ArrayList<>();
    private final boolean row;
    private int end = TYPES + 8;
    private int namesEnd = NAMES;

    /** A program with links to its types. */
    GoImage() {
        this(false);
    }

    /** @param row whether descriptors are in a row, as in Go 1.27: each type's fields are added right after it */
    GoImage(boolean row) {
        this(row, 1 << 16);
    }

    /** @param capacity most bytes that the program can have */
    GoImage(boolean row, int capacity) {
        this.row = row;
        this.bytes = ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Adds a name, and returns its address. */
    long name(String text, int flags) {
        int at = row ? namesEnd : end;
        bytes.position(at);
        bytes.put((byte) flags);
        bytes.put(new BinaryWriter(ByteOrder.LITTLE_ENDIAN).uleb(text.length()).toBytes());
        bytes.put(text.getBytes(StandardCharsets.UTF_8));
        if (row) {
            namesEnd = aligned(bytes.position());
        } else {
            end = aligned(bytes.position());
        }
        return BASE + at;
    }

    /** Adds a descriptor that the program links, and returns its address. */
    long type(int kind, long size, String text, int flags, long... tail) {
        long name = name(text, 0);
        int at = end;
        links.add(at - TYPES);
        bytes.putLong(at, size);
        bytes.put(at + 20, (byte) flags);
        bytes.put(at + 23, (byte) kind);
        bytes.putInt(at + 40, (int) (name - BASE - TYPES));
        for (int i = 0; i < tail.length; i++) {
            bytes.putLong(at + 48 + 8 * i, tail[i]);
        }
        end = at + 48 + 8 * tail.length;
        return BASE + at;
    }

    /** Sets a word. */
    void set(long address, long value) {
        bytes.putLong((int) (address - BASE), value);
    }

    /** Returns the address of the next type that is added with a name of this length. */
    long nextType(int nameLength) {
        return BASE + (row ? end : aligned(end + 2 + nameLength));
    }

    /** Adds fields of a struct, each a name, the address of its type and its offset, and returns their address. */
    long fields(long... values) {
        long address = BASE + end;
        for (long value : values) {
            bytes.putLong(end, value);
            end += 8;
        }
        return address;
    }

    byte[] toBytes() {
        if (row) {
            return rowToBytes();
        }
        int typesEnd = end;
        int start = end;
        for (int link : links) {
            bytes.putInt(end, link);
            end += 4;
        }
        word(0, BASE);
        word(20, 1);
        word(21, 2);
        word(22, 1);
        word(23, 2);
        word(35, BASE + TYPES);
        word(36, BASE + typesEnd);
        word(42, BASE + start);
        word(43, links.size());
        word(44, links.size());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes.array(), 0, end + 8);
        return out.toByteArray();
    }

    private byte[] rowToBytes() {
        word(0, BASE);
        word(20, 1);
        word(21, 2);
        word(22, 1);
        word(23, 2);
        word(37, BASE + TYPES);
        word(38, end - TYPES);
        word(39, BASE + namesEnd);
        return Arrays.copyOf(bytes.array(), namesEnd + 8);
    }

    private static int aligned(int offset) {
        return (offset + 7) & ~7;
    }

    private void word(int index, long value) {
        bytes.putLong(8 * index, value);
    }

    /** Returns a program whose line table is at {@link #BASE}. */
    static GoProgram program(byte[] image, String version) {
        return new Loaded(image, version);
    }

    /** Reads the definitions of an image. */
    static List<Definition> read(byte[] image, String version, Limits limits) throws ExtractionException {
        return catalogue(image, version, limits).definitions();
    }

    /** Reads the definitions of an image, and what was left out of it. */
    static TypeCatalogue catalogue(byte[] image, String version, Limits limits) throws ExtractionException {
        return GoTypes.catalogue(new Loaded(image, version), limits, new HeapBudget(limits.maxKeptBytes()));
    }

    // Never compared.
    @SuppressWarnings("ArrayRecordComponent")
    private record Loaded(byte[] image, String version) implements GoProgram {

        private Section section(long from) {
            MemorySegment all = MemorySegment.ofArray(image);
            return new Section("segment", all.asSlice(from), ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public int addressBytes() {
            return 8;
        }

        @Override
        public long lineTable() {
            return BASE;
        }

        @Override
        public List<Data> data() {
            return List.of(new Data(BASE, section(0)));
        }

        @Override
        public Section loadedAt(long address) {
            return address >= BASE && address - BASE < image.length
                    ? section(address - BASE)
                    : Section.absent("segment", ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public Section relocations() {
            return Section.absent(".rela", ByteOrder.LITTLE_ENDIAN);
        }

        @Override
        public int relativeRelocation() {
            return 8;
        }
    }
}
