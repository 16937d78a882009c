package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import java.util.ArrayList;
import java.util.List;

/**
 * Merge of equal definitions: the first in the order of the section stays. Units are added in their order, so the result
 * does not depend on the number of threads that scanned them. Not thread-safe.
 */
public final class DefinitionMerge {

    /** Distinct from the hash of every language family, which fits 32 bits. */
    private static final long NO_LANGUAGE_YET = Long.MAX_VALUE;

    /** Heap of a definition: its numbers and its slots, in arrays that are up to half empty. */
    private static final int BYTES = 2 * (5 * Long.BYTES + 3 * Integer.BYTES + 1);

    /** Heap of a variable's slots and family, in arrays that are up to half empty. */
    private static final int VARIABLE_SLOT_BYTES = 2 * (Long.BYTES + 2 * Integer.BYTES);

    private final DwarfUnits dwarf;

    private final DefinitionTable definitions = new DefinitionTable(1 << 11);
    private final KeySlots knownDefinitions = new KeySlots(definitions);
    private final VariableTable variables = new VariableTable();
    private final KeySlots knownVariables = new KeySlots(variables);
    private final List<Long> inlineNamespaces = new ArrayList<>();

    /** Numbers of definitions and variables after each unit that added some. */
    private final List<Counts> ends = new ArrayList<>();

    /** Number of units that {@link #next} has returned, and numbers of the definitions and variables among them. */
    private int returnedUnits;

    private int returned;
    private int returnedVariables;

    private boolean awaitsLanguage;

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

    /** Adds the definitions of another merge that this one lacks. Both are finished. */
    public void addAll(DefinitionMerge other) throws LimitExceededException {
        int before = definitions.count();
        for (int row = 0; row < other.definitions.count(); row++) {
            put(other.definitions, row, other.knownDefinitions.family(row));
        }
        int added = definitions.count() - before;
        if (added > 0) {
            dwarf.keep((long) added * BYTES, definitions.dieAddress(before));
        }
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
            if (knownVariables.claim(unit.variables.keyHigh(row), unit.variables.keyLow(row), 0)) {
                variables.addFrom(unit.variables, row);
            }
        }
        if (definitions.count() > before || variables.count() > variablesBefore) {
            ends.add(new Counts(definitions.count(), variables.count()));
        }
        long bytes = (long) (definitions.count() - before) * BYTES
                + (long) (variables.count() - variablesBefore) * (VariableTable.BYTES + VARIABLE_SLOT_BYTES);
        dwarf.release(unit.heapBytes());
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
        knownDefinitions.clear();
        for (int row = 0; row < all; row++) {
            Deadline.checkCurrent();
            // A row moves to a lower one only, so those still to come are as they were.
            long family = knownDefinitions.family(row);
            put(definitions, row, family == NO_LANGUAGE_YET ? family(dwarf.unit(definitions.dieAddress(row))) : family);
        }
    }

    private long family(Unit unit) {
        return dwarf.language(unit).family().name().hashCode();
    }

    private void put(DefinitionTable from, int row, long family) throws LimitExceededException {
        if (knownDefinitions.claim(from.keyHigh(row), from.keyLow(row), family)) {
            definitions.addFrom(from, row);
            int count = definitions.count();
            dwarf.requireEntries(count, "definitions", definitions.dieAddress(count - 1));
        }
    }
}
