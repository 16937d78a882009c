package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Merge of equal definitions: the first in the order of the section stays. Units are added in their order, so the result
 * does not depend on the number of threads that scanned them. Not thread-safe.
 */
public final class DefinitionMerge {

    /** Distinct from the hash of every language family, which fits 32 bits. */
    private static final long NO_LANGUAGE_YET = Long.MAX_VALUE;

    /** Heap of a definition: its numbers and its slots, in arrays that are up to half empty. */
    private static final int BYTES = 2 * (5 * Long.BYTES + 3 * Integer.BYTES + 1);

    /** Heap of a variable's key in a set. */
    private static final int VARIABLE_KEY_BYTES = 96;

    private final DwarfUnits dwarf;

    /** Prevents a hostile file from choosing keys that share a slot. The result does not depend on it. */
    private final long seed = System.nanoTime();

    /** Rows of {@link #definitions}, counted from 1, by the low bits of their key and language family; 0 is empty. */
    private int[] slots = new int[1 << 12];

    private final DefinitionTable definitions = new DefinitionTable(1 << 11);

    /** Hash of the language family of each definition. */
    private long[] families = new long[1 << 11];

    private final VariableTable variables = new VariableTable();
    private final Set<VariableKey> knownVariables = new HashSet<>();
    private final List<Long> inlineNamespaces = new ArrayList<>();

    /** Numbers of definitions and variables after each unit that added some. */
    private final List<Counts> ends = new ArrayList<>();

    /** Number of units that {@link #next} has returned, and numbers of the definitions and variables among them. */
    private int returnedUnits;

    private int returned;
    private int returnedVariables;

    private boolean awaitsLanguage;

    private record VariableKey(long high, long low) implements Comparable<VariableKey> {

        @Override
        public int compareTo(VariableKey other) {
            int order = Long.compare(high, other.high);
            return order != 0 ? order : Long.compare(low, other.low);
        }
    }

    private record Counts(int definitions, int variables) {}

    public DefinitionMerge(DwarfUnits dwarf) {
        this.dwarf = dwarf;
    }

    /** Returns the distinct definitions, in the order of their DIEs. */
    public DefinitionTable definitions() {
        return definitions;
    }

    /** Returns the distinct variables, in the order of their DIEs. */
    public VariableTable variables() {
        return variables;
    }

    /** Returns the addresses of the inline namespaces: one or more of each name. */
    public List<Long> inlineNamespaces() {
        return inlineNamespaces;
    }

    /**
     * Returns the next distinct definitions and variables, each once: unit by unit, and of each unit the definitions first, in
     * the order of their DIEs. The order of the rows does not depend on when they are asked for.
     *
     * @param most number of definitions to return at most
     * @return nothing if there are no new ones, or if a unit {@linkplain #awaitsLanguage names no language}
     */
    public MergedRows next(int most) {
        DefinitionTable rows = new DefinitionTable(1);
        VariableTable variableRows = new VariableTable();
        if (!awaitsLanguage && returnedUnits < ends.size()) {
            Counts end = ends.get(returnedUnits);
            int last = Math.min(returned + most, end.definitions);
            while (returned < last) {
                rows.addFrom(definitions, returned++);
            }
            if (last == end.definitions) {
                while (returnedVariables < end.variables) {
                    variableRows.addFrom(variables, returnedVariables++);
                }
                returnedUnits++;
            }
        }
        return new MergedRows(rows, variableRows);
    }

    /**
     * Returns whether a unit names no language, as partial units do: some definitions may turn out to be equal in {@link
     * #finish}, and others to be written in another language.
     */
    public boolean awaitsLanguage() {
        return awaitsLanguage;
    }

    /** Adds the definitions of the next unit. */
    public void add(UnitDefinitions unit) throws ExtractionException {
        if (unit.isEmpty()) {
            return;
        }
        int before = definitions.count();
        int variablesBefore = variables.count();
        Unit owner = dwarf.unit(unit.unitIndex);
        long family = owner.namesLanguage() ? family(owner) : NO_LANGUAGE_YET;
        awaitsLanguage |= family == NO_LANGUAGE_YET;
        for (int row = 0; row < unit.definitions.count(); row++) {
            put(unit.definitions, row, family);
        }
        inlineNamespaces.addAll(unit.inlineNamespaces);
        for (int row = 0; row < unit.variables.count(); row++) {
            if (knownVariables.add(new VariableKey(unit.variables.keyHigh(row), unit.variables.keyLow(row)))) {
                variables.addFrom(unit.variables, row);
            }
        }
        if (definitions.count() > before || variables.count() > variablesBefore) {
            ends.add(new Counts(definitions.count(), variables.count()));
        }
        long bytes = (long) (definitions.count() - before) * BYTES
                + (long) (variables.count() - variablesBefore) * (VariableTable.BYTES + VARIABLE_KEY_BYTES);
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
        if (!awaitsLanguage) {
            return;
        }
        int all = definitions.count();
        definitions.clear();
        Arrays.fill(slots, 0);
        for (int row = 0; row < all; row++) {
            Deadline.checkCurrent();
            // A row moves to a lower one only, so those still to come are as they were.
            long family =
                    families[row] == NO_LANGUAGE_YET ? family(dwarf.unit(definitions.dieAddress(row))) : families[row];
            put(definitions, row, family);
        }
    }

    private long family(Unit unit) {
        return dwarf.language(unit).family().name().hashCode();
    }

    private void put(DefinitionTable from, int row, long family) throws LimitExceededException {
        long high = from.keyHigh(row);
        long low = from.keyLow(row);
        int slot = find(high, low, family);
        if (slots[slot] != 0) {
            return;
        }
        int added = definitions.count();
        if (added == families.length) {
            grow();
            slot = find(high, low, family);
        }
        definitions.addFrom(from, row);
        families[added] = family;
        slots[slot] = added + 1;
        dwarf.requireEntries(added + 1L, "definitions", definitions.dieAddress(added));
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
        return definitions.keyHigh(row) == high && definitions.keyLow(row) == low && families[row] == family;
    }

    private void grow() {
        int count = definitions.count();
        families = Arrays.copyOf(families, count * 2);
        slots = new int[count * 4];
        for (int row = 0; row < count; row++) {
            slots[find(definitions.keyHigh(row), definitions.keyLow(row), families[row])] = row + 1;
        }
    }
}
