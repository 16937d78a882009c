package dev.offsetd.extractor.dwarf;

import java.util.Arrays;

/** The wanted variables of one unit, or of all: arrays of numbers in the order of the DIEs. */
final class UnitVariables {

    /** The DIE is only a declaration. */
    static final byte DECLARATION = 1;

    /** The name is visible to other units. */
    static final byte EXTERNAL = 2;

    /** The address is known. */
    static final byte ADDRESS = 4;

    /** The variable is in a function. */
    static final byte LOCAL = 8;

    /** Heap of a variable: the numbers that its unit and then the merge keep of it, in arrays that are up to half empty. */
    static final int BYTES = 4 * (9 * Long.BYTES + 1);

    private static final int INITIAL = 4;

    int count;
    long[] dieAddresses = new long[INITIAL];

    /** Resolved. */
    long[] nameRefs = new long[INITIAL];

    /** Resolved, or {@link NameRef#NONE}. */
    long[] linkageNameRefs = new long[INITIAL];

    long[] typeDies = new long[INITIAL];
    long[] addresses = new long[INITIAL];

    /** The DIE whose scopes are the variable's: its own, or that of the declaration it completes. */
    long[] scopedDies = new long[INITIAL];

    /** The innermost function around, or 0. */
    long[] functionDies = new long[INITIAL];

    long[] keysHigh = new long[INITIAL];
    long[] keysLow = new long[INITIAL];
    byte[] flags = new byte[INITIAL];

    /** Makes room for one more; the caller sets its numbers at the returned index. */
    int add() {
        if (count == dieAddresses.length) {
            int length = count * 2;
            dieAddresses = Arrays.copyOf(dieAddresses, length);
            nameRefs = Arrays.copyOf(nameRefs, length);
            linkageNameRefs = Arrays.copyOf(linkageNameRefs, length);
            typeDies = Arrays.copyOf(typeDies, length);
            addresses = Arrays.copyOf(addresses, length);
            scopedDies = Arrays.copyOf(scopedDies, length);
            functionDies = Arrays.copyOf(functionDies, length);
            keysHigh = Arrays.copyOf(keysHigh, length);
            keysLow = Arrays.copyOf(keysLow, length);
            flags = Arrays.copyOf(flags, length);
        }
        return count++;
    }

    void addFrom(UnitVariables other, int index) {
        int at = add();
        dieAddresses[at] = other.dieAddresses[index];
        nameRefs[at] = other.nameRefs[index];
        linkageNameRefs[at] = other.linkageNameRefs[index];
        typeDies[at] = other.typeDies[index];
        addresses[at] = other.addresses[index];
        scopedDies[at] = other.scopedDies[index];
        functionDies[at] = other.functionDies[index];
        keysHigh[at] = other.keysHigh[index];
        keysLow[at] = other.keysLow[index];
        flags[at] = other.flags[index];
    }

    boolean is(byte flag, int index) {
        return (flags[index] & flag) != 0;
    }
}
