package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import java.util.Arrays;

/**
 * Definitions in the order of their DIEs, one column per property: large files have millions, so they are not objects.
 * Not thread-safe.
 */
public final class DefinitionTable {

    /** The DIE is only a declaration. */
    static final int DECLARATION = 1;

    /** The type is local to a function. */
    static final int LOCAL = 2;

    private int count;
    private long[] dieAddresses;
    private long[] nameRefs;
    private long[] keysHigh;
    private long[] keysLow;
    private long[] scopeHashes;
    private int[] tags;
    private byte[] flags;

    DefinitionTable(int capacity) {
        dieAddresses = new long[capacity];
        nameRefs = new long[capacity];
        keysHigh = new long[capacity];
        keysLow = new long[capacity];
        scopeHashes = new long[capacity];
        tags = new int[capacity];
        flags = new byte[capacity];
    }

    /** Adds a definition without a key, see {@link #setKey}. */
    void add(long dieAddress, int tag, long nameRef, long scopeHash, int flagBits) {
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
        flags[count] = (byte) flagBits;
        count++;
    }

    /** Adds a row of another table, or of this one at or behind its end, with its key. */
    void addFrom(DefinitionTable other, int row) {
        long high = other.keysHigh[row];
        long low = other.keysLow[row];
        add(other.dieAddresses[row], other.tags[row], other.nameRefs[row], other.scopeHashes[row], other.flags[row]);
        setKey(count - 1, high, low);
    }

    /** Sets the 128-bit key by which equal definitions are found. */
    void setKey(int row, long high, long low) {
        keysHigh[row] = high;
        keysLow[row] = low;
    }

    /** Removes all rows. Their contents stay readable until they are overwritten. */
    void clear() {
        count = 0;
    }

    /** Returns the row of the definition at this address, or a negative number. */
    int find(long dieAddress) {
        return Arrays.binarySearch(dieAddresses, 0, count, dieAddress);
    }

    public int count() {
        return count;
    }

    public long dieAddress(int row) {
        return dieAddresses[row];
    }

    /** Returns the resolved name, or {@link NameRef#NONE}. */
    public long nameRef(int row) {
        return nameRefs[row];
    }

    long keyHigh(int row) {
        return keysHigh[row];
    }

    long keyLow(int row) {
        return keysLow[row];
    }

    /** Returns the hash of the scopes around the definition. */
    public long scopeHash(int row) {
        return scopeHashes[row];
    }

    public int tag(int row) {
        return tags[row];
    }

    public boolean isDeclaration(int row) {
        return (flags[row] & DECLARATION) != 0;
    }

    /** Returns whether the type is local to a function. */
    public boolean isLocal(int row) {
        return (flags[row] & LOCAL) != 0;
    }
}
