package dev.offsetd.cli.packages;

import java.util.List;

/**
 * What is in the paths that were looked through.
 *
 * @param builds each once, in the order in which they were found
 * @param unreadable the paths that were named and could not be read to their end, and why; their builds are incomplete
 * @param passedOver the first files inside of them that could not be read, and why
 * @param passedOverCount how many such files there are
 * @param withoutBuildId how many ELF files have no build-id
 */
public record Findings(
        List<FoundBuild> builds,
        List<Unread> unreadable,
        List<Unread> passedOver,
        long passedOverCount,
        long withoutBuildId) {

    public Findings {
        builds = List.copyOf(builds);
        unreadable = List.copyOf(unreadable);
        passedOver = List.copyOf(passedOver);
    }

    /**
     * Something that could not be read.
     *
     * @param place as in {@link FoundBuild#places()}
     * @param reason in words, of one line
     */
    public record Unread(String place, String reason) {}
}
