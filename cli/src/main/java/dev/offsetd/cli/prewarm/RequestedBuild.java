package dev.offsetd.cli.prewarm;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.packages.FoundBuild;
import java.util.List;
import java.util.Optional;

/**
 * A build to make ready.
 *
 * @param found empty if the user gave the build-id
 */
public record RequestedBuild(BuildId buildId, Optional<FoundBuild> found) {

    /** Longest path that is sent, in characters: a batch of them fits into a request. */
    private static final int MAX_PATH = 500;

    String name() {
        return found.map(FoundBuild::name).orElse("-");
    }

    /** Returns the path of the file with this name, for the server; empty if no path says more than the build-id. */
    Optional<String> path() {
        return places().stream()
                .filter(place -> place.endsWith(name()) && place.length() <= MAX_PATH)
                .findFirst();
    }

    List<String> places() {
        return found.map(FoundBuild::places).orElse(List.of());
    }
}
