package dev.offsetd.extractor.frames;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a part of the code without a gap: of one function, with all that is inlined into it, or of code that
 * belongs to no function. Immutable; its arrays are not copied, because a file has millions of rows.
 *
 * <p>Scopes are functions, each after the one that it is inlined into; the first is the function itself. A row holds from
 * its address to that of the next row.
 */
public final class FrameRange {

    /** Numbers of a scope: function, parent, and file, line, column and discriminator of the call. */
    public static final int SCOPE_INTS = 6;

    /** Numbers of a row: bytes from the start, scope, file, line, column, discriminator. */
    public static final int ROW_INTS = 6;

    /** Instead of the number of a function, a scope or a file. */
    public static final int NONE = -1;

    /** Bytes of a range: fewer than an offset of a row can state. */
    public static final long MAX_BYTES = 1L << 30;

    /** Heap of a range without its numbers, with what it takes to find the ranges that count. */
    private static final int RANGE_BYTES = 200;

    private static final int FUNCTION = 0;
    private static final int PARENT = 1;
    private static final int OFFSET = 0;
    private static final int SCOPE = 1;
    private static final int FILE = 2;

    private final long start;
    private final long end;
    private final int[] scopes;
    private final int[] rows;

    /**
     * Creates a range.
     *
     * @param end address behind its last byte
     * @param scopes {@link #SCOPE_INTS} numbers for each scope
     * @param rows {@link #ROW_INTS} numbers for each row, by address; the first is at the start
     */
    public FrameRange(long start, long end, int[] scopes, int[] rows) {
        this.start = start;
        this.end = end;
        this.scopes = scopes;
        this.rows = rows;
    }

    /** Returns the range of a function without rows. */
    public static FrameRange ofFunction(long start, long end, int function) {
        return new FrameRange(start, end, new int[] {function, NONE, NONE, 0, 0, 0}, new int[] {0, 0, NONE, 0, 0, 0});
    }

    /** Returns the estimated heap memory of a range whose scopes and rows have so many numbers. */
    public static long heapBytes(long numbers) {
        return RANGE_BYTES + Integer.BYTES * numbers;
    }

    public long heapBytes() {
        return heapBytes((long) scopes.length + rows.length);
    }

    public long start() {
        return start;
    }

    public long end() {
        return end;
    }

    /** Returns the numbers of the scopes. The caller does not change them. */
    public int[] scopes() {
        return scopes;
    }

    /** Returns the numbers of the rows. The caller does not change them. */
    public int[] rows() {
        return rows;
    }

    public boolean holds(long address) {
        return Long.compareUnsigned(address - start, end - start) < 0;
    }

    /** Returns the number of the function that the code belongs to, or {@link #NONE}. */
    public int function() {
        return scopes.length == 0 ? NONE : scopes[FUNCTION];
    }

    /** Returns the part between two addresses, which are inside, with the scopes that its rows are in. */
    public FrameRange part(long from, long to) {
        if (from == start && to == end) {
            return this;
        }
        int first = rowAt(from);
        int last = rowAt(to - 1);
        int[] part = Arrays.copyOfRange(rows, first, last + ROW_INTS);
        int shift = (int) (from - start);
        for (int i = 0; i < part.length; i += ROW_INTS) {
            part[i + OFFSET] = Math.max(0, part[i + OFFSET] - shift);
        }
        int[] used = scopesOf(part);
        int[] kept = new int[used.length * SCOPE_INTS];
        for (int i = 0; i < used.length; i++) {
            System.arraycopy(scopes, used[i] * SCOPE_INTS, kept, i * SCOPE_INTS, SCOPE_INTS);
            renumber(kept, i * SCOPE_INTS + PARENT, used);
        }
        for (int i = 0; i < part.length; i += ROW_INTS) {
            renumber(part, i + SCOPE, used);
        }
        return new FrameRange(from, to, kept, part);
    }

    /** Returns the scopes that rows are in, those around them and the function itself, in ascending order. */
    private int[] scopesOf(int[] part) {
        Set<Integer> used = new TreeSet<>();
        if (scopes.length > 0) {
            used.add(0);
        }
        for (int i = 0; i < part.length; i += ROW_INTS) {
            for (int scope = part[i + SCOPE]; scope != NONE && used.add(scope); ) {
                scope = scopes[scope * SCOPE_INTS + PARENT];
            }
        }
        return used.stream().mapToInt(Integer::intValue).toArray();
    }

    private static void renumber(int[] numbers, int at, int[] used) {
        numbers[at] = numbers[at] == NONE ? NONE : Arrays.binarySearch(used, numbers[at]);
    }

    /** Returns the same rows in another function, with what is inlined into the one that they were in. */
    public FrameRange in(int function) {
        if (scopes.length > 0) {
            int[] renamed = scopes.clone();
            renamed[FUNCTION] = function;
            return new FrameRange(start, end, renamed, rows);
        }
        int[] changed = rows.clone();
        for (int i = 0; i < changed.length; i += ROW_INTS) {
            changed[i + SCOPE] = 0;
        }
        return new FrameRange(start, end, ofFunction(start, end, function).scopes, changed);
    }

    /** Returns the same range with other numbers of functions and files. */
    public FrameRange renumbered(int[] functions, int[] files) {
        int[] newScopes = scopes.clone();
        for (int i = 0; i < newScopes.length; i += SCOPE_INTS) {
            newScopes[i + FUNCTION] = functions[newScopes[i + FUNCTION]];
            newScopes[i + FILE] = newScopes[i + FILE] == NONE ? NONE : files[newScopes[i + FILE]];
        }
        int[] newRows = rows.clone();
        for (int i = 0; i < newRows.length; i += ROW_INTS) {
            newRows[i + FILE] = newRows[i + FILE] == NONE ? NONE : files[newRows[i + FILE]];
        }
        return new FrameRange(start, end, newScopes, newRows);
    }

    /** Returns where the last row begins that is at or before an address. */
    private int rowAt(long address) {
        int offset = (int) (address - start);
        int low = 0;
        int high = rows.length / ROW_INTS - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (rows[middle * ROW_INTS + OFFSET] <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low * ROW_INTS;
    }

    /**
     * Returns the frames at an address of the range, the innermost first.
     *
     * @param functions names by number
     * @param files paths by number
     */
    public List<Frame> frames(long address, IntFunction<FunctionName> functions, IntFunction<String> files) {
        List<Frame> found = new ArrayList<>();
        int row = rowAt(address);
        int scope = rows[row + SCOPE];
        int[] place = rows;
        int at = row;
        if (scope == NONE) {
            found.add(frame(null, path(place[at + FILE], files), place, at, false));
        }
        while (scope != NONE) {
            int next = scope * SCOPE_INTS;
            FunctionName function = functions.apply(scopes[next + FUNCTION]);
            int parent = scopes[next + PARENT];
            found.add(frame(function, path(place[at + FILE], files), place, at, parent != NONE));
            place = scopes;
            at = next;
            scope = parent;
        }
        return found;
    }

    private static @Nullable String path(int file, IntFunction<String> files) {
        return file == NONE ? null : files.apply(file);
    }

    /** @param place scopes and rows have line, column and discriminator at the same places */
    private static Frame frame(
            @Nullable FunctionName function, @Nullable String file, int[] place, int at, boolean inlined) {
        return new Frame(
                function == null || function.name().isEmpty() ? null : function.name(),
                function == null ? null : function.linkageName(),
                file,
                place[at + FILE + 1],
                place[at + FILE + 2],
                place[at + FILE + 3],
                inlined);
    }
}
