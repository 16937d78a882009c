package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import java.util.Arrays;

/**
 * Named DIEs in their order, one column per property: large files have millions, so they are not objects. Subclasses add
 * columns. Not thread-safe.
 */
abstract sealed class NameTable permits DefinitionTable, VariableTable {

    /** The DIE is only a declaration. */
    static final int DECLARATION = 1;

    /** The type or variable is in a function. */
    static final int LOCAL = 2;

    private int count;
    private long[] dieAddresses;
    private long[] nameRefs;
    private long[] keysHigh;
    private long[] keysLow;
    private byte[] flags;

    NameTable(int capacity) {
        dieAddresses = new long[capacity];
        nameRefs = new long[capacity];
        keysHigh = new long[capacity];
        keysLow = new long[capacity];
        flags = new byte[capacity];
    }

    /** Adds a row without a key and with zeros in the columns of subclasses, and returns it. */
    final int add(long dieAddress, long nameRef, int flagBits) {
        if (count == dieAddresses.length) {
            resize(2 * count);
        }
        dieAddresses[count] = dieAddress;
        nameRefs[count] = nameRef;
        flags[count] = (byte) flagBits;
        return count++;
    }

    /** Copies all columns to longer ones. */
    void resize(int length) {
        dieAddresses = Arrays.copyOf(dieAddresses, length);
        nameRefs = Arrays.copyOf(nameRefs, length);
        keysHigh = Arrays.copyOf(keysHigh, length);
        keysLow = Arrays.copyOf(keysLow, length);
        flags = Arrays.copyOf(flags, length);
    }

    /** Adds a row of another table, or of this one at or behind its end, with its key, and returns it. */
    final int addRow(NameTable other, int row) {
        long high = other.keysHigh[row];
        long low = other.keysLow[row];
        int added = add(other.dieAddresses[row], other.nameRefs[row], other.flags[row]);
        setKey(added, high, low);
        return added;
    }

    /** Sets the 128-bit key by which equal rows are found. */
    final void setKey(int row, long high, long low) {
        keysHigh[row] = high;
        keysLow[row] = low;
    }

    /** Removes all rows. Their contents stay readable until they are overwritten. */
    final void clear() {
        count = 0;
    }

    /** Returns the row of the DIE at this address, or a negative number. */
    final int find(long dieAddress) {
        return Arrays.binarySearch(dieAddresses, 0, count, dieAddress);
    }

    public final int count() {
        return count;
    }

    public final long dieAddress(int row) {
        return dieAddresses[row];
    }

    /** Returns the resolved name, or {@link NameRef#NONE}. */
    public final long nameRef(int row) {
        return nameRefs[row];
    }

    final long keyHigh(int row) {
        return keysHigh[row];
    }

    final long keyLow(int row) {
        return keysLow[row];
    }

    final boolean has(int row, int flag) {
        return (flags[row] & flag) != 0;
    }

    public final boolean isDeclaration(int row) {
        return has(row, DECLARATION);
    }

    /** Returns whether the type or variable is in a function. */
    public final boolean isLocal(int row) {
        return has(row, LOCAL);
    }
}
