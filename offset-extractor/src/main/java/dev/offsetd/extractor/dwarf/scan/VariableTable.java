package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import java.util.Arrays;

/** Variables of one unit, or of all, in the order of their DIEs, one column per property. Not thread-safe. */
public final class VariableTable {

    /** The DIE is only a declaration. */
    static final int DECLARATION = 1;

    /** The name is visible to other units. */
    static final int EXTERNAL = 2;

    /** The address is known. */
    static final int ADDRESS = 4;

    /** The variable is in a function. */
    static final int LOCAL = 8;

    /** Heap of a variable: the numbers that its unit and then the merge keep of it, in arrays that are up to half empty. */
    static final int BYTES = 4 * (9 * Long.BYTES + 1);

    private static final int INITIAL = 4;

    private int count;
    private long[] dieAddresses = new long[INITIAL];
    private long[] nameRefs = new long[INITIAL];
    private long[] linkageNameRefs = new long[INITIAL];
    private long[] typeDies = new long[INITIAL];
    private long[] addresses = new long[INITIAL];
    private long[] scopedDies = new long[INITIAL];
    private long[] functionDies = new long[INITIAL];
    private long[] keysHigh = new long[INITIAL];
    private long[] keysLow = new long[INITIAL];
    private byte[] flags = new byte[INITIAL];

    /**
     * Adds a variable without a key, see {@link #setKey}.
     *
     * @param nameRef resolved
     * @param linkageNameRef resolved, or {@link NameRef#NONE}
     * @param scopedDie the DIE whose scopes are the variable's: its own, or that of the declaration it completes
     * @param functionDie the innermost function around, or 0
     * @return its row
     */
    int add(
            long dieAddress,
            long nameRef,
            long linkageNameRef,
            long typeDie,
            long address,
            long scopedDie,
            long functionDie,
            int flagBits) {
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
        dieAddresses[count] = dieAddress;
        nameRefs[count] = nameRef;
        linkageNameRefs[count] = linkageNameRef;
        typeDies[count] = typeDie;
        addresses[count] = address;
        scopedDies[count] = scopedDie;
        functionDies[count] = functionDie;
        flags[count] = (byte) flagBits;
        return count++;
    }

    /** Sets the 128-bit key by which equal variables are found. */
    void setKey(int row, long high, long low) {
        keysHigh[row] = high;
        keysLow[row] = low;
    }

    void addFrom(VariableTable other, int row) {
        int added = add(
                other.dieAddresses[row],
                other.nameRefs[row],
                other.linkageNameRefs[row],
                other.typeDies[row],
                other.addresses[row],
                other.scopedDies[row],
                other.functionDies[row],
                other.flags[row]);
        setKey(added, other.keysHigh[row], other.keysLow[row]);
    }

    public int count() {
        return count;
    }

    public long dieAddress(int row) {
        return dieAddresses[row];
    }

    /** Returns the resolved name. */
    public long nameRef(int row) {
        return nameRefs[row];
    }

    /** Returns the resolved linkage name, or {@link NameRef#NONE}. */
    public long linkageNameRef(int row) {
        return linkageNameRefs[row];
    }

    public long typeDie(int row) {
        return typeDies[row];
    }

    /** Returns the address in the program, see {@link #hasAddress}. */
    public long address(int row) {
        return addresses[row];
    }

    /** Returns the DIE whose scopes are the variable's: its own, or that of the declaration it completes. */
    public long scopedDie(int row) {
        return scopedDies[row];
    }

    /** Returns the DIE of the innermost function around, or 0. */
    public long functionDie(int row) {
        return functionDies[row];
    }

    long keyHigh(int row) {
        return keysHigh[row];
    }

    long keyLow(int row) {
        return keysLow[row];
    }

    public boolean isDeclaration(int row) {
        return (flags[row] & DECLARATION) != 0;
    }

    /** Returns whether the name is visible to other units. */
    public boolean isExternal(int row) {
        return (flags[row] & EXTERNAL) != 0;
    }

    public boolean hasAddress(int row) {
        return (flags[row] & ADDRESS) != 0;
    }

    /** Returns whether the variable is in a function. */
    public boolean isLocal(int row) {
        return (flags[row] & LOCAL) != 0;
    }
}
