package dev.offsetd.extractor.dwarf.scan;

import java.util.Arrays;

/** Definitions of types. */
public final class DefinitionTable extends NameTable {

    private long[] scopeHashes;
    private int[] tags;

    DefinitionTable(int capacity) {
        super(capacity);
        scopeHashes = new long[capacity];
        tags = new int[capacity];
    }

    /** Adds a definition without a key, see {@link #setKey}. */
    void add(long dieAddress, int tag, long nameRef, long scopeHash, int flagBits) {
        int row = add(dieAddress, nameRef, flagBits);
        tags[row] = tag;
        scopeHashes[row] = scopeHash;
    }

    @Override
    void resize(int length) {
        super.resize(length);
        scopeHashes = Arrays.copyOf(scopeHashes, length);
        tags = Arrays.copyOf(tags, length);
    }

    /** Adds a row of another table, or of this one at or behind its end, with its key. */
    void addFrom(DefinitionTable other, int row) {
        int added = addRow(other, row);
        tags[added] = other.tags[row];
        scopeHashes[added] = other.scopeHashes[row];
    }

    /** Returns the hash of the scopes around the definition. */
    public long scopeHash(int row) {
        return scopeHashes[row];
    }

    public int tag(int row) {
        return tags[row];
    }
}
