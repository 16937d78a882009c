package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Languages;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Language;
import java.util.Arrays;

/**
 * The scopes around the current DIE of a walk over a unit. Hashes are computed on demand, because most scopes contain no
 * selected definition. Not thread-safe.
 */
final class ScopeStack {

    /** No function around. */
    static final long NO_FUNCTION = 0;

    /** In a block without a function around it. */
    private static final long NAMELESS_FUNCTION = -1;

    /** Instead of the address of a scope: a function or block, whose outer scopes do not count. */
    private static final long IN_FUNCTION = -1;

    /** Instead of the address of a scope: one that is not part of names. */
    private static final long NO_SCOPE = 0;

    private final DwarfUnits dwarf;
    private final ScopeHasher hasher;
    private Language language = Languages.UNKNOWN;

    /** Number of enclosing scopes; 0 at the top level of the unit. */
    private int depth;

    /** Depth up to which hashes are computed. */
    private int hashed;

    private long[] dies = new long[16];
    private long[] scopeDies = new long[16];
    private long[] hashes = new long[16];

    /** The innermost function at each depth. */
    private long[] functionDies = new long[16];

    ScopeStack(DwarfUnits dwarf, ScopeHasher hasher) {
        this.dwarf = dwarf;
        this.hasher = hasher;
    }

    /** Starts the walk over a unit of this language. */
    void begin(Language languageOfUnit) {
        language = languageOfUnit;
        depth = 0;
        hashed = 0;
    }

    /** The walk goes on inside the DIE at {@code dieAddress}. */
    void enter(long dieAddress, Abbreviation abbreviation) throws LimitExceededException {
        if (++depth > dwarf.limits().maxDieDepth()) {
            throw dwarf.exceeded(
                    dieAddress, "maxDieDepth", dwarf.limits().maxDieDepth(), "a DIE is nested " + depth + " deep");
        }
        if (depth == scopeDies.length) {
            dies = Arrays.copyOf(dies, depth * 2);
            scopeDies = Arrays.copyOf(scopeDies, depth * 2);
            hashes = Arrays.copyOf(hashes, depth * 2);
            functionDies = Arrays.copyOf(functionDies, depth * 2);
        }
        dies[depth] = dieAddress;
        long aroundDie = functionDies[depth - 1];
        boolean local = abbreviation.isFunction();
        scopeDies[depth] =
                local ? IN_FUNCTION : Languages.isPartOfNames(abbreviation.tag(), language) ? dieAddress : NO_SCOPE;
        if (abbreviation.tag() == Dwarf.DW_TAG_subprogram) {
            functionDies[depth] = dieAddress;
        } else {
            functionDies[depth] = local && aroundDie == NO_FUNCTION ? NAMELESS_FUNCTION : aroundDie;
        }
    }

    /**
     * Leaves the innermost scope.
     *
     * @return false if that is the unit itself
     */
    boolean leave() {
        depth--;
        hashed = Math.min(hashed, depth);
        return depth >= 0;
    }

    /** Returns the address of the innermost DIE that was entered; 0 at the top level of the unit. */
    long innermost() {
        return depth == 0 ? 0 : dies[depth];
    }

    boolean isLocal() {
        return functionDies[depth] != NO_FUNCTION;
    }

    /**
     * Returns the address of the innermost function around, {@link #NO_FUNCTION}, or something below for one that is
     * not known.
     */
    long function() {
        return functionDies[depth];
    }

    /** Returns the hash of the scopes around. */
    long hash() throws ExtractionException {
        while (hashed < depth) {
            long dieAddress = scopeDies[hashed + 1];
            hashes[hashed + 1] = dieAddress == IN_FUNCTION
                    ? 0
                    : dieAddress == NO_SCOPE ? hashes[hashed] : hasher.inside(dieAddress, hashes[hashed]);
            hashed++;
        }
        return hashes[depth];
    }
}
