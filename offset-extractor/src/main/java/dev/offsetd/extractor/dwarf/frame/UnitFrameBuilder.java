package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.bytes.Overlay;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.frames.FunctionName;
import dev.offsetd.extractor.input.LimitExceededException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Joins the functions of a unit and the rows of its line program to ranges. Used for one unit. */
final class UnitFrameBuilder {

    private static final int NONE = FrameRange.NONE;
    private static final int ROW = FrameRange.ROW_INTS;
    private static final int SCOPE = FrameRange.SCOPE_INTS;

    private final CodeUnit unit;
    private final ScopeReader scopes;
    private final FunctionNames names;
    private final LineRows rows;
    private final @Nullable LineHeader header;

    private final List<FunctionName> functions = new ArrayList<>();
    private final Map<Long, Integer> functionNumbers = new HashMap<>();
    private final List<String> files = new ArrayList<>();
    private final Map<Integer, Integer> fileNumbers = new HashMap<>();
    private final Map<String, Integer> filesByPath = new HashMap<>();
    private final List<FrameRange> ranges = new ArrayList<>();

    /** The range that is being written. */
    private long start;

    private long end;

    /** Its function, or {@link #NONE}. */
    private int root = NONE;

    private int[] written = new int[32 * ROW];
    private int writtenRows;
    private int[] writtenScopes = new int[8 * SCOPE];
    private int writtenScopeCount;

    /** For each scope of the unit its number in the range, where the stamp is that of the range. */
    private final int[] scopeNumbers;

    private final int[] stamps;
    private final int[] roots;
    private int stamp = 1;

    /**
     * @param scopes that were read of the unit
     * @param rows of its line program
     * @param header of its line program, or null if it has none
     */
    UnitFrameBuilder(
            CodeUnit unit, ScopeReader scopes, FunctionNames names, LineRows rows, @Nullable LineHeader header) {
        this.unit = unit;
        this.scopes = scopes;
        this.names = names;
        this.rows = rows;
        this.header = header;
        this.scopeNumbers = new int[scopes.count()];
        this.stamps = new int[scopes.count()];
        this.roots = new int[scopes.count()];
        for (int scope = 0; scope < roots.length; scope++) {
            roots[scope] = scopes.parent(scope) == NONE ? scope : roots[scopes.parent(scope)];
        }
    }

    /**
     * Returns the frames of the unit. Where the unit is not does not count: a sequence of rows goes over the gaps between
     * functions in sections of their own, and units may share a program.
     *
     * @param stated where the unit states that its code is, by address
     */
    FrameTable build(AddressRanges stated) throws LimitExceededException {
        int part = 0;
        Overlay.Parts inScopes = scopes.parts();
        Overlay.Parts inRows = rows.parts();
        int s = 0;
        int r = 0;
        long at = 0;
        while (s < inScopes.count() || r < inRows.count()) {
            // Where the next part of either begins, or where this one continues.
            long scopeStart = s < inScopes.count() ? max(inScopes.start(s), at) : -1;
            long rowStart = r < inRows.count() ? max(inRows.start(r), at) : -1;
            boolean hasScope =
                    s < inScopes.count() && (r == inRows.count() || Long.compareUnsigned(scopeStart, rowStart) <= 0);
            boolean hasRow =
                    r < inRows.count() && (s == inScopes.count() || Long.compareUnsigned(rowStart, scopeStart) <= 0);
            long from = hasScope ? scopeStart : rowStart;
            long to = hasScope ? inScopes.end(s) : inRows.end(r);
            if (hasScope && hasRow) {
                to = min(to, inRows.end(r));
            } else if (hasScope && r < inRows.count()) {
                to = min(to, rowStart);
            } else if (hasRow && s < inScopes.count()) {
                to = min(to, scopeStart);
            }
            int scope = hasScope ? scopes.scope(inScopes, s) : NONE;
            int row = hasRow ? rows.row(inRows, r) : NONE;
            while (part < stated.count() && Long.compareUnsigned(stated.end(part), from) <= 0) {
                part++;
            }
            // Nothing real is longer without another row or function in it.
            boolean isReal = Long.compareUnsigned(to - from, FrameRange.MAX_BYTES) <= 0;
            for (int i = part; isReal && i < stated.count() && Long.compareUnsigned(stated.start(i), to) < 0; i++) {
                append(max(from, stated.start(i)), min(to, stated.end(i)), scope, row);
            }
            at = to;
            s += hasScope && inScopes.end(s) == to ? 1 : 0;
            r += hasRow && inRows.end(r) == to ? 1 : 0;
        }
        finishRange();
        return new FrameTable(functions, files, ranges, List.of());
    }

    private static long max(long a, long b) {
        return Long.compareUnsigned(a, b) >= 0 ? a : b;
    }

    private static long min(long a, long b) {
        return Long.compareUnsigned(a, b) <= 0 ? a : b;
    }

    private void append(long from, long to, int scope, int row) throws LimitExceededException {
        int function = scope == NONE ? NONE : roots[scope];
        if (writtenRows > 0
                && (from != end || function != root || Long.compareUnsigned(to - start, FrameRange.MAX_BYTES) > 0)) {
            finishRange();
        }
        if (writtenRows == 0) {
            start = from;
            root = function;
        }
        end = to;
        int inRange = scope == NONE ? NONE : scopeNumber(scope);
        int file = row == NONE ? NONE : file(rows.file(row));
        int line = row == NONE ? 0 : rows.line(row);
        int column = row == NONE ? 0 : rows.column(row);
        int discriminator = row == NONE ? 0 : rows.discriminator(row);
        int last = (writtenRows - 1) * ROW;
        if (writtenRows > 0
                && written[last + 1] == inRange
                && written[last + 2] == file
                && written[last + 3] == line
                && written[last + 4] == column
                && written[last + 5] == discriminator) {
            return;
        }
        int next = writtenRows++ * ROW;
        if (next == written.length) {
            written = grown(written);
        }
        written[next] = (int) (from - start);
        written[next + 1] = inRange;
        written[next + 2] = file;
        written[next + 3] = line;
        written[next + 4] = column;
        written[next + 5] = discriminator;
    }

    /** Returns a copy of twice the length, and charges the heap memory of both. */
    private int[] grown(int[] numbers) throws LimitExceededException {
        names.account().addBytes(2L * Integer.BYTES * numbers.length, unitAddress());
        return Arrays.copyOf(numbers, numbers.length * 2);
    }

    private long unitAddress() {
        return unit.unit().header().startAddress();
    }

    /** Returns the number of a scope in the range, which its outer scopes get first. */
    private int scopeNumber(int scope) throws LimitExceededException {
        if (stamps[scope] == stamp) {
            return scopeNumbers[scope];
        }
        // Without recursion: a hostile file nests as deep as its limit.
        int missing = 0;
        for (int outer = scope; outer != NONE && stamps[outer] != stamp; outer = scopes.parent(outer)) {
            missing++;
        }
        int[] chain = new int[missing];
        for (int i = missing - 1, outer = scope; i >= 0; i--, outer = scopes.parent(outer)) {
            chain[i] = outer;
        }
        for (int each : chain) {
            int number = writtenScopeCount++;
            if (number * SCOPE == writtenScopes.length) {
                writtenScopes = grown(writtenScopes);
            }
            int parent = scopes.parent(each);
            int next = number * SCOPE;
            writtenScopes[next] = function(scopes.functionDie(each));
            writtenScopes[next + 1] = parent == NONE ? NONE : scopeNumbers[parent];
            writtenScopes[next + 2] = file(scopes.callFile(each));
            writtenScopes[next + 3] = scopes.callLine(each);
            writtenScopes[next + 4] = scopes.callColumn(each);
            writtenScopes[next + 5] = scopes.callDiscriminator(each);
            scopeNumbers[each] = number;
            stamps[each] = stamp;
        }
        return scopeNumbers[scope];
    }

    private int function(long dieAddress) throws LimitExceededException {
        Integer known = functionNumbers.get(dieAddress);
        if (known == null) {
            known = functions.size();
            functions.add(names.of(dieAddress));
            functionNumbers.put(dieAddress, known);
        }
        return known;
    }

    private int file(int inProgram) throws LimitExceededException {
        if (inProgram == NONE || header == null) {
            return NONE;
        }
        Integer known = fileNumbers.get(inProgram);
        if (known == null) {
            String path = header.path(inProgram);
            // Also without a path: the program may name any number of files that it does not have.
            names.account().addEntry(MemoryAccount.NOTE_BYTES, unitAddress());
            if (path == null) {
                known = NONE;
            } else {
                names.account().addText(path.length(), unitAddress());
                known = filesByPath.computeIfAbsent(path, _ -> files.size());
                if (known == files.size()) {
                    files.add(path);
                }
            }
            fileNumbers.put(inProgram, known);
        }
        return known;
    }

    private void finishRange() throws LimitExceededException {
        if (writtenRows > 0) {
            unit.keep(FrameRange.heapBytes((long) writtenRows * ROW + (long) writtenScopeCount * SCOPE));
            ranges.add(new FrameRange(
                    start,
                    end,
                    Arrays.copyOf(writtenScopes, writtenScopeCount * SCOPE),
                    Arrays.copyOf(written, writtenRows * ROW)));
        }
        writtenRows = 0;
        writtenScopeCount = 0;
        stamp++;
    }
}
