package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.unit.HashMixing;
import java.util.Arrays;

/**
 * Map from DIE addresses to the results of {@link LayoutHasher}, without objects. The numbers of an entry stand side by
 * side, in the order in which DIEs were added: a unit's entries fit the cache of a processor. Not thread-safe.
 */
final class DieMemo {

    private static final int SMALLEST = 1 << 9;

    /** Address, two halves of the key, size, key of the readings, height. */
    private static final int NUMBERS = 6;

    /** Two slots for each entry. */
    private static final long ENTRY_BYTES = NUMBERS * Long.BYTES + 2 * Integer.BYTES;

    /** Entries, counted from 1, by the hash of the address; 0 is empty. Open addressing. */
    private int[] slots = new int[2 * SMALLEST];

    private long[] entries = new long[NUMBERS * SMALLEST];
    private int count;

    void clear() {
        // After one huge unit the table would cost its whole size again for each small one.
        int capacity = capacity();
        if (capacity > SMALLEST && count < capacity / 8) {
            slots = new int[capacity / 2];
            entries = new long[capacity / 4 * NUMBERS];
        } else if (count > 0) {
            Arrays.fill(slots, 0);
        }
        count = 0;
    }

    private int capacity() {
        return slots.length / 2;
    }

    long heapBytes() {
        return capacity() * ENTRY_BYTES;
    }

    /** Heap that it takes once another DIE is in it. */
    long heapBytesWithOneMore() {
        return (count == capacity() ? 2L : 1L) * heapBytes();
    }

    /** Returns how many DIEs are in it. */
    int count() {
        return count;
    }

    /** Returns where the entry of this DIE is, or -1. */
    int find(long dieAddress) {
        int slot = slot(dieAddress);
        return slots[slot] == 0 ? -1 : place(slots[slot]);
    }

    long high(int at) {
        return entries[at + 1];
    }

    long low(int at) {
        return entries[at + 2];
    }

    long size(int at) {
        return entries[at + 3];
    }

    long readings(int at) {
        return entries[at + 4];
    }

    int height(int at) {
        return (int) entries[at + 5];
    }

    void put(long dieAddress, long high, long low, long size, long readings, int height) {
        int slot = slot(dieAddress);
        if (slots[slot] == 0) {
            if (count == capacity()) {
                grow();
                slot = slot(dieAddress);
            }
            slots[slot] = ++count;
        }
        int at = place(slots[slot]);
        entries[at] = dieAddress;
        entries[at + 1] = high;
        entries[at + 2] = low;
        entries[at + 3] = size;
        entries[at + 4] = readings;
        entries[at + 5] = height;
    }

    private static int place(int number) {
        return (number - 1) * NUMBERS;
    }

    private void grow() {
        entries = Arrays.copyOf(entries, 2 * entries.length);
        slots = new int[2 * slots.length];
        for (int number = 1; number <= count; number++) {
            slots[slot(entries[place(number)])] = number;
        }
    }

    /** Returns the slot that holds the entry of this DIE, or the empty one where it belongs. */
    private int slot(long dieAddress) {
        int mask = slots.length - 1;
        int slot = (int) ((dieAddress * HashMixing.GOLDEN) >>> 40) & mask;
        while (slots[slot] != 0 && entries[place(slots[slot])] != dieAddress) {
            slot = slot + 1 & mask;
        }
        return slot;
    }
}
