package dev.offsetd.packages;

import java.util.ArrayList;
import java.util.List;

/**
 * Result of a search.
 *
 * @param builds distinct builds, in the order of discovery
 * @param unreadable named paths, and files and subfolders of named folders, that could not be read to their end, or
 *     that are refused
 * @param skipped the first broken files in archives, which often have such files as test data
 * @param skippedCount number of broken files in archives
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

    /** Returns this result with more files that are left out. */
    public SearchResult with(List<UnreadableFile> leftOut) {
        List<UnreadableFile> all = new ArrayList<>(unreadable);
        all.addAll(leftOut);
        return new SearchResult(builds, all, skipped, skippedCount, withoutBuildId);
    }

    /**
     * An unreadable file.
     *
     * @param place as in {@link FoundBuild#places()}
     * @param reason one line
     */
    public record UnreadableFile(String place, String reason) {}
}
