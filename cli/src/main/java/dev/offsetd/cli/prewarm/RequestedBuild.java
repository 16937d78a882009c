package dev.offsetd.cli.prewarm;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.packages.FoundBuild;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A build to make ready.
 *
 * @param found null if the user gave the build-id
 */
public record RequestedBuild(BuildId buildId, @Nullable FoundBuild found) {

    /** Longest path that is sent, in characters: a batch of them fits into a request. */
    private static final int MAX_PATH = 500;

    String name() {
        return found == null ? "-" : found.name();
    }

    /** Returns the path of the file with this name, for the server; empty if no path says more than the build-id. */
    Optional<String> path() {
        return places().stream()
                .filter(place -> place.endsWith(name()) && place.length() <= MAX_PATH)
                .findFirst();
    }

    List<String> places() {
        return found == null ? List.of() : found.places();
    }
}
