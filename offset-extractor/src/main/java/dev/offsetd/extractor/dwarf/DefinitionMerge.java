package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import java.util.Arrays;

/**
 * Keeps one of all definitions that are equal, the first in the order of the section. Units have to be added in their
 * order; then the result does not depend on how many threads scanned them. For one thread.
 */
public final class DefinitionMerge {

    private final DwarfTypes dwarf;
    private int[] table = new int[1 << 12];
    private long[] highs = new long[1 << 11];
    private long[] lows = new long[1 << 11];

    int count;
    long[] dieOffsets = new long[1 << 11];
    long[] nameRefs = new long[1 << 11];
    int[] tags = new int[1 << 11];
    byte[] flags = new byte[1 << 11];

    public DefinitionMerge(DwarfTypes dwarf) {
        this.dwarf = dwarf;
    }

    /** Adds the definitions of the next unit. */
    public void add(UnitDefinitions unit) throws ExtractionException {
        long family = dwarf.unit(unit.unitIndex).language().family().name().hashCode();
        for (int i = 0; i < unit.count; i++) {
            long high = unit.keysHigh[i] + family;
            long low = unit.keysLow[i];
            int slot = find(high, low);
            if (table[slot] != 0) {
                continue;
            }
            if (count == highs.length) {
                grow();
                slot = find(high, low);
            }
            highs[count] = high;
            lows[count] = low;
            dieOffsets[count] = unit.dieOffsets[i];
            nameRefs[count] = unit.nameRefs[i];
            tags[count] = unit.tags[i];
            flags[count] = unit.flags[i];
            table[slot] = ++count;
        }
    }

    /** The slot that holds this key's number, counted from 1, or the empty one where it belongs. */
    private int find(long high, long low) {
        int mask = table.length - 1;
        int at = (int) high & mask;
        while (table[at] != 0 && (highs[table[at] - 1] != high || lows[table[at] - 1] != low)) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void grow() {
        int length = count * 2;
        highs = Arrays.copyOf(highs, length);
        lows = Arrays.copyOf(lows, length);
        dieOffsets = Arrays.copyOf(dieOffsets, length);
        nameRefs = Arrays.copyOf(nameRefs, length);
        tags = Arrays.copyOf(tags, length);
        flags = Arrays.copyOf(flags, length);
        table = new int[length * 2];
        for (int i = 0; i < count; i++) {
            table[find(highs[i], lows[i])] = i + 1;
        }
    }
}
