package dev.offsetd.extractor.dwarf.scan;

import java.util.ArrayList;
import java.util.List;

/** The selected definitions and variables of one unit. */
public final class UnitDefinitions {

    /** Most units hold none of the few types that a client asks for. */
    private static final int INITIAL = 4;

    /** Heap of a definition: its numbers, in arrays that are up to half empty. */
    static final int BYTES = 2 * (5 * Long.BYTES + Integer.BYTES + 1);

    final int unitIndex;
    final DefinitionTable definitions = new DefinitionTable(INITIAL);
    final VariableTable variables = new VariableTable();

    /** Inline namespaces that were not met in an earlier unit by the thread that scanned this one. */
    final List<Long> inlineNamespaces = new ArrayList<>(0);

    /** Heap of the definitions that has been charged. */
    long countedBytes;

    /** Heap of the variables that has been charged. */
    long countedVariableBytes;

    UnitDefinitions(int unitIndex) {
        this.unitIndex = unitIndex;
    }

    boolean isEmpty() {
        return definitions.count() == 0 && variables.count() == 0 && inlineNamespaces.isEmpty();
    }

    /** Returns the heap that has been charged: what takes the definitions over releases it. */
    public long heapBytes() {
        return countedBytes + countedVariableBytes;
    }

    public DefinitionTable definitions() {
        return definitions;
    }
}
