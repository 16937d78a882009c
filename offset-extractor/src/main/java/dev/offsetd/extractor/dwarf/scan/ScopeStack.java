package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import java.util.Arrays;

/**
 * The scopes around the DIE that a walk over a unit has come to. Their hashes are made when they are asked for: most scopes
 * hold nothing that is wanted. Not thread-safe.
 */
final class ScopeStack {

    /** In place of the address of a function, where there is none. */
    static final long NO_FUNCTION = 0;

    /** In a block without a function around it. */
    private static final long NAMELESS_FUNCTION = -1;

    /** In place of the address of a scope, for a function or a block: what is around it does not count inside. */
    private static final long IN_FUNCTION = -1;

    private final DwarfUnits dwarf;
    private final ScopeHasher hasher;

    /** Number of enclosing scopes; 0 at the top level of the unit. */
    private int depth;

    /** Up to which depth the hashes are made. */
    private int hashed;

    private long[] starts = new long[16];
    private long[] hashes = new long[16];

    /** The innermost function at each depth. */
    private long[] functions = new long[16];

    ScopeStack(DwarfUnits dwarf, ScopeHasher hasher) {
        this.dwarf = dwarf;
        this.hasher = hasher;
    }

    /** Starts the walk over a unit. */
    void begin() {
        depth = 0;
        hashed = 0;
    }

    /** The walk goes on inside the DIE at {@code start}. */
    void enter(long start, Abbreviation abbreviation) throws LimitExceededException {
        if (++depth > dwarf.limits().maxDieDepth()) {
            throw dwarf.exceeded(
                    start, "maxDieDepth", dwarf.limits().maxDieDepth(), "a DIE is nested " + depth + " deep");
        }
        if (depth == starts.length) {
            starts = Arrays.copyOf(starts, depth * 2);
            hashes = Arrays.copyOf(hashes, depth * 2);
            functions = Arrays.copyOf(functions, depth * 2);
        }
        long around = functions[depth - 1];
        boolean local = abbreviation.isFunction();
        starts[depth] = local ? IN_FUNCTION : start;
        if (abbreviation.tag() == Dwarf.DW_TAG_subprogram) {
            functions[depth] = start;
        } else {
            functions[depth] = local && around == NO_FUNCTION ? NAMELESS_FUNCTION : around;
        }
    }

    /**
     * Returns the walk has come to the end of the innermost scope.
     *
     * @return false if that is the unit itself
     */
    boolean leave() {
        depth--;
        hashed = Math.min(hashed, depth);
        return depth >= 0;
    }

    boolean isLocal() {
        return functions[depth] != NO_FUNCTION;
    }

    /**
     * Returns the address of the innermost function around, {@link #NO_FUNCTION}, or something below for one that is
     * not known.
     */
    long function() {
        return functions[depth];
    }

    /** Returns what tells the scopes around from others. */
    long hash() throws ExtractionException {
        while (hashed < depth) {
            long start = starts[hashed + 1];
            hashes[hashed + 1] = start == IN_FUNCTION ? 0 : hasher.inside(start, hashes[hashed]);
            hashed++;
        }
        return hashes[depth];
    }
}
