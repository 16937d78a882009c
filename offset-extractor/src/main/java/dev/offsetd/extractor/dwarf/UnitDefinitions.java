package dev.offsetd.extractor.dwarf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Where the wanted definitions and variables of one unit are: arrays of numbers in the order of the DIEs. */
public final class UnitDefinitions {

    /** Most units hold none of the few types that are asked for. */
    private static final int INITIAL = 4;

    final int unitIndex;
    int count;
    long[] dieAddresses = new long[INITIAL];
    long[] nameRefs = new long[INITIAL];
    long[] keysHigh = new long[INITIAL];
    long[] keysLow = new long[INITIAL];
    /** What tells the scope around a definition from others. */
    long[] scopeHashes = new long[INITIAL];

    int[] tags = new int[INITIAL];

    /** {@link #DECLARATION} and {@link #LOCAL}. */
    byte[] flags = new byte[INITIAL];

    /** Heap of a definition: its numbers, in arrays that are up to half empty. */
    static final int BYTES = 2 * (5 * Long.BYTES + Integer.BYTES + 1);

    /** Heap of this that was counted. */
    long countedBytes;

    /** Heap of its variables that was counted. */
    long countedVariableBytes;

    /** The DIE is only a declaration. */
    static final byte DECLARATION = 1;

    /** The type is local to a function. */
    static final byte LOCAL = 2;

    /** Inline namespaces that were not met in an earlier unit by the thread that scanned this one. */
    final List<Long> inlineNamespaces = new ArrayList<>(0);

    final UnitVariables variables = new UnitVariables();

    UnitDefinitions(int unitIndex) {
        this.unitIndex = unitIndex;
    }

    void add(long dieAddress, int tag, long nameRef, long scopeHash, int flag) {
        if (count == dieAddresses.length) {
            int length = count * 2;
            dieAddresses = Arrays.copyOf(dieAddresses, length);
            nameRefs = Arrays.copyOf(nameRefs, length);
            keysHigh = Arrays.copyOf(keysHigh, length);
            keysLow = Arrays.copyOf(keysLow, length);
            scopeHashes = Arrays.copyOf(scopeHashes, length);
            tags = Arrays.copyOf(tags, length);
            flags = Arrays.copyOf(flags, length);
        }
        dieAddresses[count] = dieAddress;
        tags[count] = tag;
        nameRefs[count] = nameRef;
        scopeHashes[count] = scopeHash;
        flags[count] = (byte) flag;
        count++;
    }
}
