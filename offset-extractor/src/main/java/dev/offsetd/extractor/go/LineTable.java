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
import dev.offsetd.extractor.omission.OmissionLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Functions, inlined functions and lines of a Go program in {@code .gopclntab}, which the runtime needs for its own stack traces,
 * so that stripped programs have it, too (Go's {@code runtime/symtab.go} and {@code internal/abi/symtab.go}; from Go 1.2 on).
 * Not thread-safe.
 */
public final class LineTable {

    /** Bytes that {@link #startsAt} needs. */
    public static final int START_BYTES = LineTableHeader.START_BYTES;

    private static final String SECTION = ".gopclntab";

    /** An offset of nothing; of a function, the linker notes it for code between Go's, which another linker has put there. */
    private static final long NOWHERE = 0xffff_ffffL;

    /** The table of the program counter that states the place in the tree of inlined calls. */
    private static final int INLINE_TABLE = 2;

    /** Flag of a function that is written in assembly ({@code abi.FuncFlagAsm}). */
    private static final int ASSEMBLY = 4;

    /** End of the path of a source in assembly. */
    private static final String ASSEMBLY_SOURCE = ".s";

    /** Heap of an entry of the list of functions, with what is read of the function beside its texts. */
    private static final int HEAP_OF_FUNCTION = 300;

    /** Heap of a value of a table, with the smaller arrays that it is copied from. */
    private static final int HEAP_OF_VALUE = 16;

    /** Heap of a name or path in a list and a map, without its characters. */
    private static final int HEAP_OF_TEXT = 180;

    private static final int VALUES_BETWEEN_CHECKS = 1 << 14;

    private static final int NONE = FrameRange.NONE;

    /** Most calls that are inlined into each other; each also takes bytes of the program. */
    private static final int MAX_CALLS = 1 << 16;

    private final GoProgram program;
    private final Memory memory;
    private final LineTableHeader header;

    /** Base of the addresses of functions. */
    private final long text;

    /** Base of the offsets of the data of functions. */
    private final long functionData;

    private final Limits limits;
    private final HeapBudget heap;
    private final OmissionLog omissions;
    private final Deadline deadline;
    private final long table;
    private final long tableBytes;

    private final List<FunctionName> functions = new ArrayList<>();
    private final Map<Long, Integer> functionNumbers = new HashMap<>();
    private final List<String> files = new ArrayList<>();
    private final Map<Long, Integer> fileNumbers = new HashMap<>();
    private final List<FrameRange> ranges = new ArrayList<>();

    private final Values filesOfFunction = new Values();
    private final Values linesOfFunction = new Values();
    private final Values callsOfFunction = new Values();

    /** The rows that are being written. */
    private int[] written = new int[FrameRange.ROW_INTS * 64];

    /** Bytes of tables and names that were read: hostile functions share them. */
    private long readBytes;

    private LineTable(GoProgram program, Limits limits, HeapBudget heap, OmissionLog omissions)
            throws ExtractionException {
        this.program = program;
        this.limits = limits;
        this.heap = heap;
        this.memory = new Memory(program, limits, heap);
        this.omissions = omissions;
        this.deadline = Deadline.currentOr(limits);
        this.header = LineTableHeader.read(program, memory);
        this.table = program.lineTable();
        this.tableBytes = program.loadedAt(table).size();
        if (header.format().hasOffsets()) {
            ModuleData module = ModuleData.ofFunctions(program, header.format(), memory, limits);
            this.text = module.text();
            this.functionData = module.functionData();
        } else {
            this.text = 0;
            this.functionData = 0;
        }
    }

    /** Returns whether a table in a known format starts here. */
    public static boolean startsAt(ByteCursor in, int addressBytes) throws ExtractionException {
        return LineTableHeader.format(in, addressBytes).isPresent();
    }

    /**
     * Reads the table of a program.
     *
     * @param omissions receives the functions that cannot be read
     */
    public static FrameTable read(GoProgram program, Limits limits, HeapBudget heap, OmissionLog omissions)
            throws ExtractionException {
        return new LineTable(program, limits, heap, omissions).read();
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
        LineTable table = new LineTable(program, limits, heap, new OmissionLog(heap));
        List<Function> functions = new ArrayList<>();
        for (Entry entry : table.entries()) {
            try {
                Head head = table.head(entry);
                table.filesOfFunction.read(head.fileTable, entry);
                table.linesOfFunction.read(head.lineTable, entry);
                long end = endOf(entry, table.linesOfFunction);
                int file = table.file(head.unitFiles, table.filesOfFunction.value(0));
                String name = table.functions.get(table.function(head.name)).name();
                functions.add(new Function(
                        name,
                        entry.start,
                        end == entry.start ? entry.end : end,
                        file == NONE ? null : table.files.get(file),
                        head.assembly || (file != NONE && table.files.get(file).endsWith(ASSEMBLY_SOURCE))));
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
        int field = header.format().listFieldBytes(memory.wordBytes());
        long at = header.list();
        List<Entry> entries = new ArrayList<>();
        long start = start(at);
        for (long i = 0; i < header.count(); i++) {
            long offset = memory.at(at + field, field).unsigned(field);
            at += 2L * field;
            long next = start(at);
            if (i % 1024 == 0) {
                deadline.check(SECTION);
            }
            boolean isFunction = (offset & NOWHERE) != NOWHERE;
            if (isFunction && Long.compareUnsigned(start, next) < 0 && next - start <= FrameRange.MAX_BYTES) {
                keep(HEAP_OF_FUNCTION);
                entries.add(new Entry(header.functions() + offset, start, next));
            }
            start = next;
        }
        return entries;
    }

    /** Returns the address of a function's code, which the list of functions has here. */
    private long start(long at) throws ExtractionException {
        return header.format().hasOffsets() ? text + memory.at(at, 4).u32() : memory.pointer(at);
    }

    private void keep(long bytes) throws LimitExceededException {
        heap.keep(bytes, SECTION, ExtractionException.NO_OFFSET);
    }

    private FrameTable read() throws ExtractionException {
        for (Entry entry : entries()) {
            deadline.check(SECTION);
            try {
                readFunction(entry);
            } catch (ExtractionException e) {
                omissions.omit(Part.SYMBOL, entry.address, e);
            }
        }
        return new FrameTable(functions, files, sorted(), omissions.omissions());
    }

    /** Returns the ranges by address. The table has them in this order, but a hostile one need not. */
    private List<FrameRange> sorted() throws LimitExceededException {
        Overlay overlay = new Overlay();
        ranges.forEach(range -> overlay.add(range.start(), range.end()));
        Overlay.Parts parts = overlay.parts();
        List<FrameRange> sorted = new ArrayList<>(parts.count());
        for (int i = 0; i < parts.count(); i++) {
            FrameRange range = ranges.get(parts.range(i));
            FrameRange part = range.part(parts.start(i), parts.end(i));
            if (part != range) {
                keep(part.heapBytes());
            }
            sorted.add(part);
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
        LineTableHeader.Format format = header.format();
        int bytes = format.functionBytes(memory.wordBytes());
        ByteCursor in = memory.at(entry.address, bytes);
        in.skip(format.listFieldBytes(memory.wordBytes()));
        long name = in.u32();
        in.skip(12);
        long fileTable = in.u32();
        long lineTable = in.u32();
        long tables = in.u32();
        long unitFiles = format.hasUnits() ? in.u32() : 0;
        in.skip(format.hasStartLine() ? 5 : 1);
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
        long inlineTree = inlineTree(head);
        long start = entry.start;
        filesOfFunction.read(head.fileTable, entry);
        linesOfFunction.read(head.lineTable, entry);
        callsOfFunction.read(inlineTree == 0 ? 0 : inlineTable, entry);
        Tree tree = new Tree(inlineTree, head.unitFiles);
        tree.scopes[0] = function(head.name);
        long last = endOf(entry, linesOfFunction);
        if (last != start) {
            ranges.add(new FrameRange(start, last, tree.ofCalls(), rows(start, last, tree)));
        }
    }

    /** Returns the address of the tree of inlined calls, or 0 if the function has none. */
    private long inlineTree(Head head) throws ExtractionException {
        int number = header.inlineTree();
        if (head.dataCount <= number) {
            return 0;
        }
        long data = head.end + 4 * head.tables;
        if (header.format().hasOffsets()) {
            long offset = memory.at(data + 4L * number, 4).u32();
            return offset == NOWHERE ? 0 : functionData + offset;
        }
        int word = memory.wordBytes();
        return memory.pointer((data + word - 1 & -word) + (long) word * number);
    }

    private int[] rows(long start, long end, Tree tree) throws ExtractionException {
        int count = 0;
        long at = start;
        while (Long.compareUnsigned(at, end) < 0) {
            int offset = (int) (at - start);
            int f = filesOfFunction.at(offset);
            int l = linesOfFunction.at(offset);
            int c = callsOfFunction.at(offset);
            requireMore(count);
            if (count * FrameRange.ROW_INTS == written.length) {
                keep(2L * Integer.BYTES * written.length);
                written = Arrays.copyOf(written, written.length * 2);
            }
            int next = count++ * FrameRange.ROW_INTS;
            written[next] = offset;
            written[next + 1] = tree.scope(callsOfFunction.value(c));
            written[next + 2] = file(tree.unitFiles, filesOfFunction.value(f));
            written[next + 3] = Math.max(0, linesOfFunction.value(l));
            int until = Math.min(filesOfFunction.end(f), Math.min(linesOfFunction.end(l), callsOfFunction.end(c)));
            at = until == Integer.MAX_VALUE ? end : start + until;
        }
        keep(Integer.BYTES * (long) FrameRange.ROW_INTS * count);
        return Arrays.copyOf(written, count * FrameRange.ROW_INTS);
    }

    /** Checks that one more value or row of a function may be kept, for which two bytes of the file suffice. */
    private void requireMore(int count) throws LimitExceededException {
        if (count % VALUES_BETWEEN_CHECKS == VALUES_BETWEEN_CHECKS - 1) {
            deadline.check(SECTION);
        }
        if (count >= limits.maxEntries()) {
            throw new LimitExceededException(
                    SECTION,
                    ExtractionException.NO_OFFSET,
                    "maxEntries",
                    limits.maxEntries(),
                    "a function has more values or rows");
        }
    }

    /** Values of a table by the bytes from the start of a function. Reused for the next function. */
    private final class Values {

        private int[] ends = new int[64];
        private int[] values = new int[64];
        private int count;

        private void add(int end, int value) throws LimitExceededException {
            requireMore(count);
            if (count == ends.length) {
                keep((long) HEAP_OF_VALUE * count);
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

        /**
         * Reads a table: pairs of the difference to the last value and of how far it holds; a difference of 0 ends it.
         *
         * @param offset of the table; 0 if there is none
         */
        void read(long offset, Entry entry) throws ExtractionException {
            count = 0;
            if (offset != 0) {
                readPairs(header.tables() + offset, entry.end - entry.start);
            }
            add(Integer.MAX_VALUE, NONE);
        }

        private void readPairs(long address, long codeBytes) throws ExtractionException {
            long left = table + tableBytes - address;
            ByteCursor in = memory.at(address, Math.max(0, left));
            long value = -1;
            long at = 0;
            for (boolean first = true; at < codeBytes; first = false) {
                long difference = in.uleb128();
                if (difference == 0 && !first) {
                    break;
                }
                value += (difference >>> 1) ^ -(difference & 1);
                at += in.uleb128() * header.quantum();
                if (at < 0 || value < Integer.MIN_VALUE || value > Integer.MAX_VALUE) {
                    throw memory.malformed(address, "a table of a function with value " + value + " at " + at);
                }
                add((int) Math.min(at, Integer.MAX_VALUE - 1), (int) value);
            }
            spend(in.offset() - memory.at(address, 0).offset());
        }
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
        private final long unitFiles;
        private final Map<Integer, Integer> known = new HashMap<>();
        private int[] scopes = new int[] {NONE, NONE, NONE, 0, 0, 0};
        private int count = 1;

        Tree(long address, long unitFiles) {
            this.address = address;
            this.unitFiles = unitFiles;
        }

        /** Returns the scopes of all these calls, after the function itself. */
        int[] ofCalls() throws ExtractionException {
            for (int i = 0; i < callsOfFunction.count; i++) {
                if (callsOfFunction.value(i) >= 0) {
                    add(callsOfFunction.value(i));
                }
            }
            keep(Integer.BYTES * (long) FrameRange.SCOPE_INTS * count);
            return Arrays.copyOf(scopes, count * FrameRange.SCOPE_INTS);
        }

        int scope(int call) {
            return call < 0 ? 0 : known.getOrDefault(call, 0);
        }

        /** Adds a call and those that it is inlined into. The parent of a call is that of the address where it is made. */
        private void add(int call) throws ExtractionException {
            List<Integer> chain = new ArrayList<>();
            Set<Integer> seen = new HashSet<>();
            List<Long> names = new ArrayList<>();
            List<Integer> places = new ArrayList<>();
            int outer = call;
            while (outer >= 0 && !known.containsKey(outer)) {
                if (!seen.add(outer) || outer > MAX_CALLS) {
                    throw memory.malformed(address, "inlined call " + outer + " is inlined into itself");
                }
                ByteCursor in = inlined(outer);
                chain.add(outer);
                names.add(in.u32());
                int place = (int) in.u32();
                places.add(place);
                outer = callsOfFunction.value(callsOfFunction.at(Math.max(0, place)));
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
                scopes[next + 2] = file(unitFiles, filesOfFunction.value(filesOfFunction.at(place)));
                scopes[next + 3] = Math.max(0, linesOfFunction.value(linesOfFunction.at(place)));
                parent = count++;
                known.put(chain.get(i), parent);
            }
        }

        /** Returns a cursor at the name and the address of a call, which Go 1.20 moved together. */
        private ByteCursor inlined(int call) throws ExtractionException {
            boolean isShort = header.format().hasStartLine();
            int bytes = isShort ? 16 : 20;
            spend(bytes);
            ByteCursor in = memory.at(address + (long) call * bytes, bytes);
            in.skip(isShort ? 4 : 12);
            return in;
        }
    }

    private int function(long name) throws ExtractionException {
        Integer known = functionNumbers.get(name);
        if (known == null) {
            known = functions.size();
            functions.add(new FunctionName(text(header.names() + name), null));
            functionNumbers.put(name, known);
        }
        return known;
    }

    private int file(long unitFiles, int number) throws ExtractionException {
        if (number < 0) {
            return NONE;
        }
        long place = header.unitFiles() + 4 * (unitFiles + number);
        long offset = memory.at(place, 4).u32();
        if (offset == NOWHERE) {
            return NONE;
        }
        Integer known = fileNumbers.get(offset);
        if (known == null) {
            known = files.size();
            files.add(text(header.files() + offset));
            fileNumbers.put(offset, known);
        }
        return known;
    }

    private String text(long address) throws ExtractionException {
        long offset = address - table;
        String text = program.loadedAt(table).string(offset, limits.maxNameBytes());
        spend(text.length());
        keep(HEAP_OF_TEXT + 2L * text.length());
        return text;
    }
}
