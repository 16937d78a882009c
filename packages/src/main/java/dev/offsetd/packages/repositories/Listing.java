package dev.offsetd.packages.repositories;

import java.util.List;

/**
 * State of a repository at one time.
 *
 * @param state for the next listing: validators, dates and hashes of indexes. Store it only when all entries have been dealt with,
 *     because the next listing may omit those of unchanged indexes, and only if it has at most {@link #MAX_STATE_CHARS}
 * @param unchanged whether nothing has changed since the earlier state; then there are no entries
 * @param complete whether the entries are all that the repository has and the description selects
 * @param entries what is new since the earlier state, and possibly entries that were listed before
 * @param warnings a line each for what the description selects and the repository lacks, such as a platform of an image
 */
public record Listing(
        String state, boolean unchanged, boolean complete, List<RepositoryEntry> entries, List<String> warnings) {

    public static final int MAX_STATE_CHARS = 64 << 10;

    public Listing {
        entries = List.copyOf(entries);
        warnings = List.copyOf(warnings);
    }

    /** Returns the listing of a repository that has not changed. */
    static Listing unchanged(String state, List<String> warnings) {
        return new Listing(state, true, false, List.of(), warnings);
    }
}
