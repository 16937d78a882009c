package dev.offsetd.extractor.go;

import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.omission.OmissionLog;
import dev.offsetd.extractor.testkit.BinaryWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A line table at {@link GoImage#BASE}, with the module data that leads to it. All offsets count from its start. */
final class LineTableImage {

    static final long CODE = 0x1000;

    /** Bytes of the code of a function. */
    static final int FUNCTION_BYTES = 1 << 20;

    /** A version of each format. */
    static final Map<LineTableHeader.Format, String> VERSIONS = Map.of(
            LineTableHeader.Format.ADDRESSES, "1.15.9",
            LineTableHeader.Format.UNITS, "1.17.2",
            LineTableHeader.Format.OFFSETS, "1.18.1",
            LineTableHeader.Format.START_LINES, "1.24.4");

    private static final Map<LineTableHeader.Format, Integer> MAGIC = Map.of(
            LineTableHeader.Format.ADDRESSES, 0xffff_fffb,
            LineTableHeader.Format.UNITS, 0xffff_fffa,
            LineTableHeader.Format.OFFSETS, 0xffff_fff0,
            LineTableHeader.Format.START_LINES, 0xffff_fff1);

    private static final int WORD = 8;
    private static final int START_LINES_SHIFT = 2;
    private static final int MODULE_WORDS = 48;

    private final LineTableHeader.Format format;
    private final ByteBuffer bytes;
    private final int list;
    private final int field;
    private int functions;

    /** @param count number of functions that will be added */
    LineTableImage(LineTableHeader.Format format, int count, int capacity) {
        this.format = format;
        this.bytes = ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN);
        this.field = format.listFieldBytes(WORD);
        bytes.putInt(MAGIC.getOrDefault(format, 0)).put(6, (byte) 1).put(7, (byte) WORD);
        bytes.putLong(8, count);
        int headerWords = switch (format) {
            case ADDRESSES -> 1;
            case UNITS -> 7;
            case OFFSETS, START_LINES -> 8;
        };
        this.list = 8 + WORD * headerWords;
        if (format != LineTableHeader.Format.ADDRESSES) {
            bytes.putLong(list - WORD, list);
        }
        bytes.position(list + (2 * count + 1) * field + 4);
    }

    /** Adds a string, and returns its offset. */
    int text(String text) {
        int at = bytes.position();
        bytes.put(text.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
        return at;
    }

    /** Adds the table of a function: for each value the bytes of code that have it; returns its offset. */
    int table(int[] values, int codeBytes) {
        int at = bytes.position();
        int last = -1;
        for (int value : values) {
            int difference = value - last;
            bytes.put(uleb(difference << 1 ^ difference >> 31)).put(uleb(codeBytes));
            last = value;
        }
        bytes.put((byte) 0);
        return at;
    }

    private static byte[] uleb(int value) {
        return new BinaryWriter(ByteOrder.LITTLE_ENDIAN).uleb(value).toBytes();
    }

    /** Adds the offsets of the files of a unit, which are numbered from 1; returns its number. */
    int files(int... offsets) {
        align(4);
        int at = bytes.position();
        bytes.putInt(offsets.length + 1);
        for (int offset : offsets) {
            bytes.putInt(offset);
        }
        if (format == LineTableHeader.Format.ADDRESSES) {
            bytes.putInt(list + (2 * (int) bytes.getLong(8) + 1) * field, at);
        }
        return at / 4;
    }

    /** Adds inlined calls, each of a name and the place in the code where it is called; returns their offset. */
    int tree(int[] names, int[] places) {
        align(4);
        int at = bytes.position();
        for (int i = 0; i < names.length; i++) {
            bytes.position(bytes.position() + (format.hasStartLine() ? 4 : 12));
            bytes.putInt(names[i]).putInt(places[i]);
        }
        return at;
    }

    /**
     * Adds a function.
     *
     * @param unit number of the files
     * @param calls offset of the table of inlined calls; 0 if there are none
     * @param tree offset of these calls
     */
    void function(int name, int unit, int[] fileAndLines, int calls, int tree) {
        align(WORD);
        int at = bytes.position();
        int entry = list + 2 * functions * field;
        long start = (format.hasOffsets() ? 0 : CODE) + (long) functions++ * FUNCTION_BYTES;
        field(entry, start);
        field(entry + field, format == LineTableHeader.Format.ADDRESSES ? at : at - list);
        field(entry + 2 * field, start + FUNCTION_BYTES);
        bytes.position(at + field);
        bytes.putInt(name).position(bytes.position() + 12);
        bytes.putInt(fileAndLines[0]).putInt(fileAndLines[1]).putInt(3);
        if (format.hasUnits()) {
            bytes.putInt(unit);
        }
        int dataCount = format == LineTableHeader.Format.ADDRESSES ? 5 : 4;
        bytes.position(bytes.position() + (format.hasStartLine() ? 7 : 3));
        bytes.put((byte) (calls == 0 ? 0 : dataCount));
        bytes.putInt(0).putInt(0).putInt(calls);
        if (format.hasOffsets()) {
            bytes.putInt(0).putInt(0).putInt(0).putInt(tree);
        } else {
            align(WORD);
            bytes.position(bytes.position() + WORD * (dataCount - 1));
            bytes.putLong(GoImage.BASE + tree);
        }
    }

    /** Moves a function to another address: its code ends where the next one starts. */
    void move(int function, long codeOffset) {
        field(list + 2 * function * field, (format.hasOffsets() ? 0 : CODE) + codeOffset);
    }

    private void field(int at, long value) {
        if (field == WORD) {
            bytes.putLong(at, value);
        } else {
            bytes.putInt(at, (int) value);
        }
    }

    private void align(int size) {
        bytes.position(bytes.position() + size - 1 & -size);
    }

    byte[] toBytes() {
        align(WORD);
        int module = bytes.position();
        if (format.hasOffsets()) {
            int shift = format.hasStartLine() ? START_LINES_SHIFT : 0;
            word(module, 0, GoImage.BASE);
            word(module, 20, 1);
            word(module, 21, 2);
            word(module, 22, CODE);
            word(module, 23, CODE + 1);
            word(module, shift + 35, GoImage.BASE);
            word(module, shift + 36, GoImage.BASE + 1);
            word(module, shift + 38, GoImage.BASE);
            word(module, shift + 42, GoImage.BASE);
            word(module, shift + 43, 1);
            word(module, shift + 44, 1);
        }
        return Arrays.copyOf(bytes.array(), module + MODULE_WORDS * WORD);
    }

    private void word(int module, int index, long value) {
        bytes.putLong(module + WORD * index, value);
    }

    /** Reads the frames of an image, and its functions. */
    static Read read(byte[] image, LineTableHeader.Format format) throws ExtractionException {
        return read(image, VERSIONS.getOrDefault(format, ""));
    }

    /** Reads the frames of an image with a small budget. */
    static FrameTable frames(byte[] image, LineTableHeader.Format format, long heapBytes) throws ExtractionException {
        GoProgram program = GoImage.program(image, VERSIONS.getOrDefault(format, ""));
        HeapBudget heap = new HeapBudget(heapBytes);
        return LineTable.read(program, Limits.DEFAULT, heap, new OmissionLog(heap));
    }

    /** @param version that the program states; empty if it states none */
    static Read read(byte[] image, String version) throws ExtractionException {
        GoProgram program = GoImage.program(image, version);
        Limits limits = Limits.DEFAULT;
        HeapBudget heap = new HeapBudget(limits.maxKeptBytes());
        return new Read(
                LineTable.read(program, limits, heap, new OmissionLog(heap)),
                LineTable.functions(program, limits, new HeapBudget(limits.maxKeptBytes())));
    }

    record Read(FrameTable frames, List<LineTable.Function> functions) {}
}
