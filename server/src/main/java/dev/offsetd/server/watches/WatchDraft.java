package dev.offsetd.server.watches;

import dev.offsetd.packages.repositories.RepositoryDescription;
import java.time.Duration;
import java.util.List;

/**
 * A watch that is to be created.
 *
 * @param typeSets names without {@code @}
 */
public record WatchDraft(String name, RepositoryDescription place, List<String> typeSets, Duration interval) {

    public static final Duration USUAL_INTERVAL = Duration.ofHours(6);

    static final Duration SHORTEST_INTERVAL = Duration.ofMinutes(1);
    static final Duration LONGEST_INTERVAL = Duration.ofDays(365);

    public WatchDraft {
        typeSets = List.copyOf(typeSets);
    }
}
