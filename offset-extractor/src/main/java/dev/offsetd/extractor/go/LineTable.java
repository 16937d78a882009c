package dev.offsetd.extractor.go;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Overlay;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.frames.FunctionName;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.Search;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.OmissionLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Functions, inlined functions and lines of a Go program in {@code .gopclntab}, which the runtime needs for its own stack traces,
 * so that stripped programs have it, too (Go's {@code runtime/symtab.go} and {@code internal/abi/symtab.go}; the format of Go 1.18
 * and, with another magic number, 1.20). Not thread-safe.
 */
public final class LineTable {

    private static final String SECTION = ".gopclntab";

    /** Fields of the header, in words behind its first eight bytes. */
    private static final int COUNT = 0;

    private static final int NAMES = 3;
    private static final int UNIT_FILES = 4;
    private static final int FILES = 5;
    private static final int TABLES = 6;
    private static final int FUNCTIONS = 7;
    private static final int HEADER_BYTES = 8;

    /** Bytes of the struct of a function up to its tables, without the line of its start, which Go 1.20 added. */
    private static final int FUNCTION_BYTES = 40;

    private static final int START_LINE_MINOR = 20;

    /** The table of the program counter that states the place in the tree of inlined calls. */
    private static final int INLINE_TABLE = 2;

    /** The data of a function that is the tree of inlined calls. */
    private static final int INLINE_TREE = 3;

    private static final int NO_DATA = 0xffff_ffff;

    /** Flag of a function that is written in assembly ({@code abi.FuncFlagAsm}). */
    private static final int ASSEMBLY = 4;

    private static final int HEAP_OF_FUNCTION = 300;
    private static final int NONE = FrameRange.NONE;

    /** Most calls that are inlined into each other; each also takes bytes of the program. */
    private static final int MAX_CALLS = 1 << 16;

    private final GoProgram program;
    private final Memory memory;
    private final ModuleData module;
    private final Limits limits;
    private final HeapBudget heap;
    private final OmissionLog omissions;
    private final boolean hasStartLine;
    private final long table;
    private final int quantum;
    private final long tableBytes;
    private final long[] header = new long[FUNCTIONS + 1];

    private final List<FunctionName> functions = new ArrayList<>();
    private final Map<Long, Integer> functionNumbers = new HashMap<>();
    private final List<String> files = new ArrayList<>();
    private final Map<Long, Integer> fileNumbers = new HashMap<>();
    private final List<FrameRange> ranges = new ArrayList<>();

    /** Bytes of tables and names that were read: hostile functions share them. */
    private long readBytes;

    private LineTable(GoProgram program, Limits limits, HeapBudget heap) throws ExtractionException {
        this.program = program;
        this.limits = limits;
        this.heap = heap;
        this.memory = new Memory(program, limits, heap);
        this.module = ModuleData.find(program, memory, limits);
        this.omissions = new OmissionLog(heap);
        this.hasStartLine = ModuleData.minor(program.version()) >= START_LINE_MINOR;
        this.table = program.lineTable();
        int word = memory.wordBytes();
        ByteCursor in = memory.at(table, HEADER_BYTES + (long) header.length * word);
        in.skip(6);
        this.quantum = in.u8();
        in.skip(1);
        for (int i = 0; i < header.length; i++) {
            header[i] = in.unsigned(word);
        }
        this.tableBytes = program.loadedAt(table).size();
    }

    /** Reads the table of a program. */
    public static FrameTable read(GoProgram program, Limits limits, HeapBudget heap) throws ExtractionException {
        return new LineTable(program, limits, heap).read();
    }

    /**
     * Function of a program.
     *
     * @param end address behind its code, without the padding up to the next function
     * @param file path of its source; null if the table does not state it
     * @param assembly whether it is written in assembly
     */
    public record Function(
            String name, long start, long end, @Nullable String file, boolean assembly) {}

    /** Reads the functions of a program without their lines, in the order of the table. */
    public static List<Function> functions(GoProgram program, Limits limits, HeapBudget heap)
            throws ExtractionException {
        LineTable table = new LineTable(program, limits, heap);
        List<Function> functions = new ArrayList<>();
        for (Entry entry : table.entries()) {
            try {
                Head head = table.head(entry);
                Values filesByAddress = table.values(head.fileTable, entry.start, entry.end);
                long end = endOf(entry, table.values(head.lineTable, entry.start, entry.end));
                int file = table.file(head.unitFiles, filesByAddress.value(0));
                String name = table.functions.get(table.function(head.name)).name();
                heap.keep(HEAP_OF_FUNCTION, SECTION, ExtractionException.NO_OFFSET);
                functions.add(new Function(
                        name,
                        entry.start,
                        end == entry.start ? entry.end : end,
                        file == NONE ? null : table.files.get(file),
                        head.assembly));
            } catch (LimitExceededException e) {
                throw e;
            } catch (ExtractionException e) {
                // The other functions have their names.
                table.omissions.omit(Part.SYMBOL, entry.address, e);
            }
        }
        return functions;
    }

    /**
     * Entry of the list of functions.
     *
     * @param address of the struct of the function
     * @param start address of its code
     * @param end start of the next function
     */
    private record Entry(long address, long start, long end) {}

    private List<Entry> entries() throws ExtractionException {
        Deadline deadline = Deadline.currentOr(limits);
        long count = header[COUNT];
        if (count < 0 || count > tableBytes / 8) {
            throw memory.malformed(table, "a line table of " + Long.toUnsignedString(count) + " functions");
        }
        long at = table + header[FUNCTIONS];
        ByteCursor in = memory.at(at, count * 8 + 4);
        List<Entry> entries = new ArrayList<>();
        long start = module.text() + in.u32();
        for (long i = 0; i < count; i++) {
            long function = at + in.u32();
            long next = module.text() + in.u32();
            if (i % 1024 == 0) {
                deadline.check(SECTION);
            }
            if (Long.compareUnsigned(start, next) < 0 && next - start <= FrameRange.MAX_BYTES) {
                entries.add(new Entry(function, start, next));
            }
            start = next;
        }
        return entries;
    }

    private FrameTable read() throws ExtractionException {
        Deadline deadline = Deadline.currentOr(limits);
        for (Entry entry : entries()) {
            deadline.check(SECTION);
            try {
                readFunction(entry);
            } catch (LimitExceededException e) {
                throw e;
            } catch (ExtractionException e) {
                omissions.omit(Part.SYMBOL, entry.address, e);
            }
        }
        return new FrameTable(functions, files, sorted(), omissions.omissions());
    }

    /** Returns the ranges by address. The table has them in this order, but a hostile one need not. */
    private List<FrameRange> sorted() {
        Overlay overlay = new Overlay();
        ranges.forEach(range -> overlay.add(range.start(), range.end()));
        Overlay.Parts parts = overlay.parts();
        List<FrameRange> sorted = new ArrayList<>(parts.count());
        for (int i = 0; i < parts.count(); i++) {
            sorted.add(ranges.get(parts.range(i)).part(parts.start(i), parts.end(i)));
        }
        return sorted;
    }

    /** Start of the struct of a function. */
    private record Head(
            long name,
            long fileTable,
            long lineTable,
            long tables,
            long unitFiles,
            boolean assembly,
            int dataCount,
            long end) {}

    private Head head(Entry entry) throws ExtractionException {
        int bytes = FUNCTION_BYTES + (hasStartLine ? 4 : 0);
        ByteCursor in = memory.at(entry.address, bytes);
        in.skip(4);
        long name = in.u32();
        in.skip(12);
        long fileTable = in.u32();
        long lineTable = in.u32();
        long tables = in.u32();
        long unitFiles = in.u32();
        in.skip(bytes - FUNCTION_BYTES + 1L);
        boolean assembly = (in.u8() & ASSEMBLY) != 0;
        in.skip(1);
        return new Head(name, fileTable, lineTable, tables, unitFiles, assembly, in.u8(), entry.address + bytes);
    }

    /** Returns the end of a function's code: up to the next function is padding, for which the table of lines has no value. */
    private static long endOf(Entry entry, Values lines) {
        return entry.start + Math.min(entry.end - entry.start, lines.lastEnd());
    }

    private void readFunction(Entry entry) throws ExtractionException {
        Head head = head(entry);
        if (head.tables > tableBytes / 4) {
            throw memory.malformed(entry.address, "a function with " + head.tables + " tables");
        }
        long inlineTable = head.tables > INLINE_TABLE
                ? memory.at(head.end + 4L * INLINE_TABLE, 4).u32()
                : 0;
        int inlineTree = head.dataCount > INLINE_TREE
                ? (int) memory.at(head.end + 4 * head.tables + 4L * INLINE_TREE, 4)
                        .u32()
                : NO_DATA;
        long start = entry.start;
        Values filesByAddress = values(head.fileTable, start, entry.end);
        Values linesByAddress = values(head.lineTable, start, entry.end);
        Values calls = values(inlineTree == NO_DATA ? 0 : inlineTable, start, entry.end);
        Tree tree = new Tree(inlineTree, filesByAddress, linesByAddress, head.unitFiles);
        tree.scopes[0] = function(head.name);
        long last = endOf(entry, linesByAddress);
        if (last != start) {
            ranges.add(new FrameRange(start, last, tree.ofCalls(calls), rows(start, last, tree, calls)));
        }
    }

    private int[] rows(long start, long end, Tree tree, Values calls) throws ExtractionException {
        int[] rows = new int[FrameRange.ROW_INTS * 8];
        int count = 0;
        long at = start;
        while (Long.compareUnsigned(at, end) < 0) {
            int offset = (int) (at - start);
            int f = tree.files.at(offset);
            int l = tree.lines.at(offset);
            int c = calls.at(offset);
            if (count * FrameRange.ROW_INTS == rows.length) {
                rows = Arrays.copyOf(rows, rows.length * 2);
            }
            int next = count++ * FrameRange.ROW_INTS;
            rows[next] = offset;
            rows[next + 1] = tree.scope(calls.value(c));
            rows[next + 2] = file(tree.unitFiles, tree.files.value(f));
            rows[next + 3] = Math.max(0, tree.lines.value(l));
            int until = Math.min(tree.files.end(f), Math.min(tree.lines.end(l), calls.end(c)));
            at = until == Integer.MAX_VALUE ? end : start + until;
        }
        heap.keep(Integer.BYTES * (long) FrameRange.ROW_INTS * count, SECTION, ExtractionException.NO_OFFSET);
        return Arrays.copyOf(rows, count * FrameRange.ROW_INTS);
    }

    /** Values of a table by the bytes from the start of a function. */
    private static final class Values {

        private int[] ends = {Integer.MAX_VALUE};
        private int[] values = {NONE};
        private int count = 1;

        private void add(int end, int value) {
            if (count == ends.length) {
                ends = Arrays.copyOf(ends, count * 2);
                values = Arrays.copyOf(values, count * 2);
            }
            ends[count] = end;
            values[count++] = value;
        }

        /** Returns the place of the value at an offset. */
        int at(int offset) {
            return Search.firstNot(count - 1, i -> ends[i] <= offset);
        }

        /** Returns behind which offset there are no values. */
        int lastEnd() {
            return count == 1 ? 0 : ends[count - 2];
        }

        int value(int place) {
            return values[place];
        }

        int end(int place) {
            return ends[place];
        }
    }

    /** Reads a table: pairs of the difference to the last value and of how far it holds; a difference of 0 ends it. */
    private Values values(long offset, long start, long end) throws ExtractionException {
        Values values = new Values();
        if (offset == 0) {
            return values;
        }
        values.count = 0;
        long address = table + header[TABLES] + offset;
        long left = table + tableBytes - address;
        ByteCursor in = memory.at(address, Math.max(0, left));
        long value = -1;
        long at = 0;
        for (boolean first = true; at < end - start; first = false) {
            long difference = in.uleb128();
            if (difference == 0 && !first) {
                break;
            }
            value += (difference >>> 1) ^ -(difference & 1);
            at += in.uleb128() * quantum;
            if (at < 0 || value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
                throw memory.malformed(address, "a table of a function with value " + value + " at " + at);
            }
            values.add((int) Math.min(at, Integer.MAX_VALUE - 1), (int) value);
        }
        values.add(Integer.MAX_VALUE, NONE);
        spend(in.offset() - memory.at(address, 0).offset());
        return values;
    }

    private void spend(long bytes) throws LimitExceededException {
        readBytes += bytes;
        if (readBytes / 8 > tableBytes) {
            throw new LimitExceededException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "maxEntries",
                    8 * tableBytes,
                    "tables and names overlap: those read so far have " + readBytes + " bytes");
        }
    }

    /** The calls that are inlined into a function. */
    private final class Tree {

        private final long address;
        private final Values files;
        private final Values lines;
        private final long unitFiles;
        private final Map<Integer, Integer> known = new HashMap<>();
        private int[] scopes = new int[] {NONE, NONE, NONE, 0, 0, 0};
        private int count = 1;

        Tree(int offset, Values files, Values lines, long unitFiles) {
            this.address = module.functionData() + Integer.toUnsignedLong(offset);
            this.files = files;
            this.lines = lines;
            this.unitFiles = unitFiles;
        }

        /** Returns the scopes of all these calls, after the function itself. */
        int[] ofCalls(Values calls) throws ExtractionException {
            for (int i = 0; i < calls.count; i++) {
                if (calls.value(i) >= 0) {
                    add(calls.value(i), calls);
                }
            }
            heap.keep(Integer.BYTES * (long) FrameRange.SCOPE_INTS * count, SECTION, ExtractionException.NO_OFFSET);
            return Arrays.copyOf(scopes, count * FrameRange.SCOPE_INTS);
        }

        int scope(int call) {
            return call < 0 ? 0 : known.getOrDefault(call, 0);
        }

        /** Adds a call and those that it is inlined into. The parent of a call is that of the address where it is made. */
        private void add(int call, Values calls) throws ExtractionException {
            List<Integer> chain = new ArrayList<>();
            List<Long> names = new ArrayList<>();
            List<Integer> places = new ArrayList<>();
            int outer = call;
            while (outer >= 0 && !known.containsKey(outer)) {
                if (chain.contains(outer) || outer > MAX_CALLS) {
                    throw memory.malformed(module.functionData(), "inlined call " + outer + " is inlined into itself");
                }
                ByteCursor in = inlined(outer);
                chain.add(outer);
                names.add(in.u32());
                int place = (int) in.u32();
                places.add(place);
                outer = calls.value(calls.at(Math.max(0, place)));
            }
            int parent = outer < 0 ? 0 : known.getOrDefault(outer, 0);
            for (int i = chain.size() - 1; i >= 0; i--) {
                if (count * FrameRange.SCOPE_INTS == scopes.length) {
                    scopes = Arrays.copyOf(scopes, scopes.length * 2);
                }
                int place = Math.max(0, places.get(i));
                int next = count * FrameRange.SCOPE_INTS;
                scopes[next] = function(names.get(i));
                scopes[next + 1] = parent;
                scopes[next + 2] = file(unitFiles, files.value(files.at(place)));
                scopes[next + 3] = Math.max(0, lines.value(lines.at(place)));
                parent = count++;
                known.put(chain.get(i), parent);
            }
        }

        /** Returns a cursor at the name and the address of a call, which Go 1.20 moved together. */
        private ByteCursor inlined(int call) throws ExtractionException {
            int bytes = hasStartLine ? 16 : 20;
            spend(bytes);
            ByteCursor in = memory.at(address + (long) call * bytes, bytes);
            in.skip(hasStartLine ? 4 : 12);
            return in;
        }
    }

    private int function(long name) throws ExtractionException {
        Integer known = functionNumbers.get(name);
        if (known == null) {
            known = functions.size();
            functions.add(new FunctionName(text(table + header[NAMES] + name), null));
            functionNumbers.put(name, known);
        }
        return known;
    }

    private int file(long unitFiles, int number) throws ExtractionException {
        if (number < 0) {
            return NONE;
        }
        long offset = memory.at(table + header[UNIT_FILES] + 4 * (unitFiles + number), 4)
                .u32();
        if (offset == 0xffff_ffffL) {
            return NONE;
        }
        Integer known = fileNumbers.get(offset);
        if (known == null) {
            known = files.size();
            files.add(text(table + header[FILES] + offset));
            fileNumbers.put(offset, known);
        }
        return known;
    }

    private String text(long address) throws ExtractionException {
        long offset = address - table;
        String text = program.loadedAt(table).string(offset, limits.maxNameBytes());
        spend(text.length());
        heap.keep(2L * text.length() + 96, SECTION, ExtractionException.NO_OFFSET);
        return text;
    }
}
