package dev.offsetd.extractor.dwarf;

import java.util.Arrays;

/** Where the wanted definitions and variables of one unit are: arrays of numbers in the order of the DIEs. */
public final class UnitDefinitions {

    final int unitIndex;
    int count;
    long[] dieOffsets = new long[64];
    long[] nameRefs = new long[64];
    long[] keysHigh = new long[64];
    long[] keysLow = new long[64];
    /** What tells the scope around a definition from others. */
    long[] scopeHashes = new long[64];

    int[] tags = new int[64];

    /** {@link #DECLARATION} and {@link #LOCAL}. */
    byte[] flags = new byte[64];

    /** The DIE is only a declaration. */
    static final byte DECLARATION = 1;

    /** The type is local to a function. */
    static final byte LOCAL = 2;

    final UnitVariables variables = new UnitVariables();

    UnitDefinitions(int unitIndex) {
        this.unitIndex = unitIndex;
    }

    void add(long dieOffset, int tag, long nameRef, long scopeHash, int flag) {
        if (count == dieOffsets.length) {
            int length = count * 2;
            dieOffsets = Arrays.copyOf(dieOffsets, length);
            nameRefs = Arrays.copyOf(nameRefs, length);
            keysHigh = Arrays.copyOf(keysHigh, length);
            keysLow = Arrays.copyOf(keysLow, length);
            scopeHashes = Arrays.copyOf(scopeHashes, length);
            tags = Arrays.copyOf(tags, length);
            flags = Arrays.copyOf(flags, length);
        }
        dieOffsets[count] = dieOffset;
        tags[count] = tag;
        nameRefs[count] = nameRef;
        scopeHashes[count] = scopeHash;
        flags[count] = (byte) flag;
        count++;
    }
}
