package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.unit.HashMixing;
import java.util.Arrays;

/** Rows of a table by their keys and language families. Not thread-safe. */
final class KeySlots {

    private final NameTable rows;

    /** Prevents a hostile file from choosing keys that share a slot. The result does not depend on it. */
    private final long seed = System.nanoTime();

    /** Rows, counted from 1, by the low bits of their key and language family; 0 is empty. */
    private int[] slots = new int[1 << 12];

    private long[] families = new long[1 << 11];

    KeySlots(NameTable rows) {
        this.rows = rows;
    }

    /** Returns whether no row has this key and family, and notes that the next row of the table will have them. */
    boolean claim(long high, long low, long family) {
        int slot = find(high, low, family);
        if (slots[slot] != 0) {
            return false;
        }
        int next = rows.count();
        if (next == families.length) {
            grow();
            slot = find(high, low, family);
        }
        families[next] = family;
        slots[slot] = next + 1;
        return true;
    }

    long family(int row) {
        return families[row];
    }

    /** Forgets all keys. Families stay readable until they are overwritten. */
    void clear() {
        Arrays.fill(slots, 0);
    }

    /** Returns the slot that holds the row of this key, or the empty one where it belongs. */
    private int find(long high, long low, long family) {
        int mask = slots.length - 1;
        int slot = (int) (HashMixing.mix(high ^ seed) ^ HashMixing.mix(low + seed)) & mask;
        while (slots[slot] != 0 && !isAt(slots[slot] - 1, high, low, family)) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private boolean isAt(int row, long high, long low, long family) {
        return rows.keyHigh(row) == high && rows.keyLow(row) == low && families[row] == family;
    }

    private void grow() {
        int count = rows.count();
        families = Arrays.copyOf(families, count * 2);
        slots = new int[count * 4];
        for (int row = 0; row < count; row++) {
            slots[find(rows.keyHigh(row), rows.keyLow(row), families[row])] = row + 1;
        }
    }
}
