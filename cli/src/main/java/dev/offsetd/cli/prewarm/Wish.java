package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.packages.FoundBuild;
import dev.offsetd.extractor.layout.BuildId;
import java.util.List;
import java.util.Optional;

/**
 * A build that is to be there.
 *
 * @param found where it was found; empty if it was named by its build-id
 */
public record Wish(BuildId buildId, Optional<FoundBuild> found) {

    /** What a person calls it. */
    String name() {
        return found.map(FoundBuild::name).orElse("-");
    }

    List<String> places() {
        return found.map(FoundBuild::places).orElse(List.of());
    }
}
