package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.unit.DieNames;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.Arrays;

/**
 * Hashes of names, the latest of them remembered by their place: linkers merge equal strings, so most names of a unit
 * stand where an earlier unit's stood, and names of one header near each other. Not thread-safe.
 */
public final class NameHashes {

    private static final int SMALLEST = 1 << 14;
    private static final int LARGEST = 1 << 16;

    /** Few names are shorter, so that most have an entry of their own. */
    private static final int BYTES_PER_ENTRY = 8;

    private final DieNames names;

    /** Names, each followed by its hash. */
    private long[] entries = empty(SMALLEST);

    private int misses;

    public NameHashes(DieNames names) {
        this.names = names;
    }

    private static long[] empty(int count) {
        long[] entries = new long[2 * count];
        Arrays.fill(entries, NameRef.NONE);
        return entries;
    }

    /** Returns the hash of a name of a unit, see {@link DieNames#hash}; 0 for none. */
    long hash(long nameRef, Unit unit) throws ExtractionException {
        return nameRef == NameRef.NONE ? 0 : hash(names.resolve(nameRef, unit));
    }

    /** Returns the hash of a resolved name, see {@link DieNames#hash}. */
    public long hash(long ref) throws ExtractionException {
        int at = place(ref);
        return entries[at] == ref ? entries[at + 1] : add(ref);
    }

    private long add(long ref) throws ExtractionException {
        if (++misses > entries.length / 2 && entries.length < 2 * LARGEST) {
            // Hashing them again costs less than moving them.
            entries = empty(entries.length);
            misses = 0;
        }
        long hash = names.hash(ref);
        int at = place(ref);
        entries[at] = ref;
        entries[at + 1] = hash;
        return hash;
    }

    private int place(long ref) {
        return (int) (ref / BYTES_PER_ENTRY) * 2 & entries.length - 1;
    }
}
