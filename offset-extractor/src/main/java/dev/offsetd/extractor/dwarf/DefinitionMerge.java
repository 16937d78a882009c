package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Keeps one of all definitions that are equal, the first in the order of the section. Units have to be added in their
 * order; then the result does not depend on how many threads scanned them. Not thread-safe.
 */
public final class DefinitionMerge {

    /** Distinct from the hash of every language family, which fits 32 bits. */
    private static final long NO_LANGUAGE_YET = Long.MAX_VALUE;

    /** Heap of a definition: its numbers and its slots, in arrays that are up to half empty. */
    private static final int BYTES = 2 * (5 * Long.BYTES + 3 * Integer.BYTES + 1);

    /** Heap of a variable's key in a set. */
    private static final int VARIABLE_KEY_BYTES = 96;

    private final DwarfTypes dwarf;

    /** Keeps a hostile file from choosing keys that share a slot. The result does not depend on it. */
    private final long seed = System.nanoTime();

    private int[] table = new int[1 << 12];
    private long[] highs = new long[1 << 11];
    private long[] lows = new long[1 << 11];
    private long[] families = new long[1 << 11];

    final UnitVariables variables = new UnitVariables();
    private final Set<VariableKey> knownVariables = new HashSet<>();

    /** Addresses of the inline namespaces; of each name one or more. */
    final List<Long> inlineNamespaces = new ArrayList<>();

    int count;
    long[] dieAddresses = new long[1 << 11];
    long[] nameRefs = new long[1 << 11];
    int[] tags = new int[1 << 11];
    byte[] flags = new byte[1 << 11];
    long[] scopeHashes = new long[1 << 11];

    private record VariableKey(long high, long low) {}

    public DefinitionMerge(DwarfTypes dwarf) {
        this.dwarf = dwarf;
    }

    /** Adds the definitions of the next unit. */
    public void add(UnitDefinitions unit) throws ExtractionException {
        int before = count;
        int variablesBefore = variables.count;
        Unit owner = dwarf.unit(unit.unitIndex);
        long family = owner.namesLanguage() ? family(owner) : NO_LANGUAGE_YET;
        for (int i = 0; i < unit.count; i++) {
            put(
                    unit.keysHigh[i],
                    unit.keysLow[i],
                    family,
                    unit.dieAddresses[i],
                    unit.nameRefs[i],
                    unit.tags[i],
                    unit.flags[i],
                    unit.scopeHashes[i]);
        }
        inlineNamespaces.addAll(unit.inlineNamespaces);
        UnitVariables found = unit.variables;
        for (int i = 0; i < found.count; i++) {
            if (knownVariables.add(new VariableKey(found.keysHigh[i], found.keysLow[i]))) {
                variables.addFrom(found, i);
            }
        }
        long bytes = (long) (count - before) * BYTES
                + (long) (variables.count - variablesBefore) * (UnitVariables.BYTES + VARIABLE_KEY_BYTES);
        dwarf.release(unit.countedBytes + unit.countedVariableBytes);
        if (bytes > 0) {
            dwarf.keep(bytes, owner.header().startAddress());
        }
    }

    /**
     * Ends the merge: what partial units hold is compared with the rest, now that all their users have been scanned and
     * their language is known.
     */
    public void finish() throws ExtractionException {
        int all = count;
        count = 0;
        Arrays.fill(table, 0);
        for (int i = 0; i < all; i++) {
            long family = families[i] == NO_LANGUAGE_YET ? family(dwarf.unit(dieAddresses[i])) : families[i];
            put(highs[i], lows[i], family, dieAddresses[i], nameRefs[i], tags[i], flags[i], scopeHashes[i]);
        }
    }

    private long family(Unit unit) {
        return dwarf.language(unit).family().name().hashCode();
    }

    private void put(
            long high, long low, long family, long dieAddress, long nameRef, int tag, byte flag, long scopeHash)
            throws LimitExceededException {
        int slot = find(high, low, family);
        if (table[slot] != 0) {
            return;
        }
        if (count == highs.length) {
            grow();
            slot = find(high, low, family);
        }
        highs[count] = high;
        lows[count] = low;
        families[count] = family;
        dieAddresses[count] = dieAddress;
        nameRefs[count] = nameRef;
        tags[count] = tag;
        flags[count] = flag;
        scopeHashes[count] = scopeHash;
        table[slot] = ++count;
        dwarf.requireEntries(count, "definitions", dieAddress);
    }

    /** Returns the slot that holds this key's number, counted from 1, or the empty one where it belongs. */
    private int find(long high, long low, long family) {
        int mask = table.length - 1;
        int at = (int) (Hash.mix(high ^ seed) ^ Hash.mix(low + seed)) & mask;
        while (table[at] != 0
                && (highs[table[at] - 1] != high || lows[table[at] - 1] != low || families[table[at] - 1] != family)) {
            at = at + 1 & mask;
        }
        return at;
    }

    private void grow() {
        int length = count * 2;
        highs = Arrays.copyOf(highs, length);
        lows = Arrays.copyOf(lows, length);
        families = Arrays.copyOf(families, length);
        dieAddresses = Arrays.copyOf(dieAddresses, length);
        nameRefs = Arrays.copyOf(nameRefs, length);
        tags = Arrays.copyOf(tags, length);
        flags = Arrays.copyOf(flags, length);
        scopeHashes = Arrays.copyOf(scopeHashes, length);
        table = new int[length * 2];
        for (int i = 0; i < count; i++) {
            table[find(highs[i], lows[i], families[i])] = i + 1;
        }
    }
}
