package dev.offsetd.extractor.bytes;

import java.util.Arrays;
import java.util.PriorityQueue;

/**
 * Ranges of addresses that may overlap, laid one over the other: where several are, the one that was added last shows.
 * Takes time in proportion to the number of ranges and its logarithm, whatever they overlap. Not thread-safe.
 */
public final class Overlay {

    private long[] starts = new long[16];
    private long[] ends = new long[16];
    private int count;

    /** The visible parts, in the order of addresses. */
    public static final class Parts {

        private long[] starts = new long[16];
        private long[] ends = new long[16];
        private int[] ranges = new int[16];
        private int count;

        public int count() {
            return count;
        }

        public long start(int part) {
            return starts[part];
        }

        public long end(int part) {
            return ends[part];
        }

        /** Returns the number of the range that shows here, in the order in which the ranges were added. */
        public int range(int part) {
            return ranges[part];
        }

        private void add(long start, long end, int range) {
            if (count > 0 && ranges[count - 1] == range && ends[count - 1] == start) {
                ends[count - 1] = end;
                return;
            }
            if (count == ranges.length) {
                starts = Arrays.copyOf(starts, count * 2);
                ends = Arrays.copyOf(ends, count * 2);
                ranges = Arrays.copyOf(ranges, count * 2);
            }
            starts[count] = start;
            ends[count] = end;
            ranges[count++] = range;
        }
    }

    /** Adds a range that is not empty, over all those before. */
    public void add(long start, long end) {
        if (count == starts.length) {
            starts = Arrays.copyOf(starts, count * 2);
            ends = Arrays.copyOf(ends, count * 2);
        }
        starts[count] = start;
        ends[count++] = end;
    }

    /** Forgets the ranges behind the first ones. */
    public void truncate(int first) {
        count = Math.min(count, first);
    }

    /** Returns how many ranges were added. */
    public int count() {
        return count;
    }

    /** Returns what shows of the ranges. */
    public Parts parts() {
        Integer[] byStart = new Integer[count];
        Arrays.setAll(byStart, i -> i);
        Arrays.sort(byStart, (a, b) -> Long.compareUnsigned(starts[a], starts[b]));
        Parts parts = new Parts();
        PriorityQueue<Integer> open = new PriorityQueue<>((a, b) -> Integer.compare(b, a));
        int next = 0;
        long at = 0;
        while (next < count || !open.isEmpty()) {
            while (!open.isEmpty() && Long.compareUnsigned(ends[open.element()], at) <= 0) {
                open.remove();
            }
            if (open.isEmpty()) {
                if (next == count) {
                    break;
                }
                at = starts[byStart[next]];
            }
            while (next < count && Long.compareUnsigned(starts[byStart[next]], at) <= 0) {
                open.add(byStart[next++]);
            }
            int top = open.element();
            long until = ends[top];
            if (next < count && Long.compareUnsigned(starts[byStart[next]], until) < 0) {
                until = starts[byStart[next]];
            }
            if (Long.compareUnsigned(until, at) > 0) {
                parts.add(at, until, top);
            }
            at = until;
        }
        return parts;
    }
}
