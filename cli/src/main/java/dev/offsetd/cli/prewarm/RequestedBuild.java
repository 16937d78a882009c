package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.packages.FoundBuild;
import dev.offsetd.extractor.layout.BuildId;
import java.util.List;
import java.util.Optional;

/**
 * A build to make ready.
 *
 * @param found empty if the user gave the build-id
 */
public record RequestedBuild(BuildId buildId, Optional<FoundBuild> found) {

    String name() {
        return found.map(FoundBuild::name).orElse("-");
    }

    List<String> places() {
        return found.map(FoundBuild::places).orElse(List.of());
    }
}
