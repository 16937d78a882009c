package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.unit.HashMixing;
import java.util.Arrays;

/** Map from DIE addresses to the results of {@link LayoutHasher}, without objects: open addressing. Not thread-safe. */
final class DieMemo {

    private static final long EMPTY = -1;
    private static final int SMALLEST = 1 << 10;
    private static final long SLOT_BYTES = 5 * Long.BYTES + Integer.BYTES;

    private long[] keys = new long[SMALLEST];
    private long[] highs = new long[SMALLEST];
    private long[] lows = new long[SMALLEST];
    private long[] sizes = new long[SMALLEST];
    private long[] scalarKeys = new long[SMALLEST];
    private int[] heights = new int[SMALLEST];
    private int count;

    DieMemo() {
        Arrays.fill(keys, EMPTY);
    }

    void clear() {
        // After one huge unit the table would cost its whole size again for each small one.
        if (keys.length > SMALLEST && count < keys.length / 16) {
            allocate(keys.length / 4);
        } else if (count > 0) {
            Arrays.fill(keys, EMPTY);
        }
        count = 0;
    }

    long heapBytes() {
        return keys.length * SLOT_BYTES;
    }

    /** Heap that it takes once another DIE is in it. */
    long heapBytesWithOneMore() {
        return (isFull() ? 2L : 1L) * heapBytes();
    }

    private boolean isFull() {
        return count * 2 >= keys.length;
    }

    /** Returns how many DIEs are in it. */
    int count() {
        return count;
    }

    /** Returns where the entry of this DIE is, or -1. */
    int find(long dieAddress) {
        int mask = keys.length - 1;
        int at = slot(dieAddress, mask);
        while (keys[at] != EMPTY) {
            if (keys[at] == dieAddress) {
                return at;
            }
            at = at + 1 & mask;
        }
        return -1;
    }

    long high(int at) {
        return highs[at];
    }

    long low(int at) {
        return lows[at];
    }

    long size(int at) {
        return sizes[at];
    }

    long scalars(int at) {
        return scalarKeys[at];
    }

    int height(int at) {
        return heights[at];
    }

    void put(long dieAddress, long high, long low, long size, long scalars, int height) {
        if (isFull()) {
            grow();
        }
        int mask = keys.length - 1;
        int at = slot(dieAddress, mask);
        while (keys[at] != EMPTY && keys[at] != dieAddress) {
            at = at + 1 & mask;
        }
        if (keys[at] == EMPTY) {
            count++;
        }
        keys[at] = dieAddress;
        highs[at] = high;
        lows[at] = low;
        sizes[at] = size;
        scalarKeys[at] = scalars;
        heights[at] = height;
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldHighs = highs;
        long[] oldLows = lows;
        long[] oldSizes = sizes;
        long[] oldScalarKeys = scalarKeys;
        int[] oldHeights = heights;
        allocate(oldKeys.length * 2);
        count = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != EMPTY) {
                put(oldKeys[i], oldHighs[i], oldLows[i], oldSizes[i], oldScalarKeys[i], oldHeights[i]);
            }
        }
    }

    private void allocate(int length) {
        keys = new long[length];
        Arrays.fill(keys, EMPTY);
        highs = new long[length];
        lows = new long[length];
        sizes = new long[length];
        scalarKeys = new long[length];
        heights = new int[length];
    }

    private static int slot(long dieAddress, int mask) {
        return (int) ((dieAddress * HashMixing.GOLDEN) >>> 40) & mask;
    }
}
