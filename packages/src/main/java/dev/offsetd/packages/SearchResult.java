package dev.offsetd.packages;

import java.util.List;

/**
 * Result of a search.
 *
 * @param builds distinct builds, in the order of discovery
 * @param unreadable named paths that could not be read to their end; their builds are incomplete
 * @param skipped the first unreadable files inside of the paths
 * @param skippedCount number of unreadable files
 * @param withoutBuildId number of ELF files without a build-id
 */
public record SearchResult(
        List<FoundBuild> builds,
        List<UnreadableFile> unreadable,
        List<UnreadableFile> skipped,
        long skippedCount,
        long withoutBuildId) {

    public SearchResult {
        builds = List.copyOf(builds);
        unreadable = List.copyOf(unreadable);
        skipped = List.copyOf(skipped);
    }

    /**
     * An unreadable file.
     *
     * @param place as in {@link FoundBuild#places()}
     * @param reason one line
     */
    public record UnreadableFile(String place, String reason) {}
}
