package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.unit.DieNames;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.Arrays;

/**
 * Hashes of names, the latest of them remembered by their place: linkers merge equal strings, so most names of a unit
 * stand where an earlier unit's stood. Not thread-safe.
 */
final class NameHashes {

    private static final int ENTRIES = 1 << 14;

    private final DieNames names;
    private final long[] refs = new long[ENTRIES];
    private final long[] hashes = new long[ENTRIES];

    NameHashes(DieNames names) {
        this.names = names;
        Arrays.fill(refs, NameRef.NONE);
    }

    /** Returns the hash of a resolved name. */
    long hash(long ref) throws ExtractionException {
        int at = (int) ((ref * HashMixing.GOLDEN) >>> 50);
        if (refs[at] != ref) {
            hashes[at] = names.hash(ref);
            refs[at] = ref;
        }
        return hashes[at];
    }
}
