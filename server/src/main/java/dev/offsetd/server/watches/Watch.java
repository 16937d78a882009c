package dev.offsetd.server.watches;

import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A watch.
 *
 * @param typeSets names without {@code @}
 * @param builtIn whether it comes with the server
 * @param state what the place said of its index when a run worked through all of it
 * @param newestIndexAt time of the newest index that a run verified: an older one is a replay
 * @param run number of the last run, which changes with its begin and its end
 * @param startedAt start of the last run
 * @param endedAt its end; null while it goes on
 * @param outcome how it ended; while it goes on, how the run before it did. The cause is that of the same run
 * @param cause why it failed or stopped early, or what it did not read
 * @param failures failed runs since the last other one
 * @param storedBuilds builds that it stored
 * @param bytesToday what its runs have downloaded today, in UTC
 */
public record Watch(
        UUID id,
        String name,
        RepositoryDescription place,
        List<String> typeSets,
        Duration interval,
        boolean builtIn,
        Instant createdAt,
        String createdBy,
        @Nullable String state,
        @Nullable Instant newestIndexAt,
        Instant nextRunAt,
        long run,
        @Nullable Instant startedAt,
        @Nullable Instant endedAt,
        @Nullable Outcome outcome,
        @Nullable Cause cause,
        int failures,
        int storedBuilds,
        long bytesToday) {

    public enum Outcome implements Word {
        /** The place has changed nothing. */
        UNCHANGED,
        /** Everything that the place has was read. */
        COMPLETE,
        /** A budget is used up, or the server was stopped: the next run goes on. */
        PARTIAL,
        FAILED
    }

    public Watch {
        typeSets = List.copyOf(typeSets);
    }

    public boolean isRunning() {
        return startedAt != null && endedAt == null;
    }

    /** Returns whether the last run that has ended read everything that the place has. */
    public boolean hasReadAll() {
        return outcome == Outcome.COMPLETE || outcome == Outcome.UNCHANGED;
    }

    public List<String> items() {
        return typeSets.stream().map(set -> "@" + set).toList();
    }

    /** Why a run, or the work on an entry, failed. */
    public record Cause(String code, String detail) {

        private static final int MAX_DETAIL = 1_000;

        public Cause {
            detail = detail.substring(0, Math.min(MAX_DETAIL, detail.length())).replace('\0', ' ');
        }
    }

    /**
     * A watch that is to be created.
     *
     * @param typeSets names without {@code @}
     */
    public record Draft(String name, RepositoryDescription place, List<String> typeSets, Duration interval) {

        public static final Duration USUAL_INTERVAL = Duration.ofHours(6);

        static final Duration SHORTEST_INTERVAL = Duration.ofMinutes(1);
        static final Duration LONGEST_INTERVAL = Duration.ofDays(365);

        public Draft {
            typeSets = List.copyOf(typeSets);
        }

        /** Returns the problem of a fault at a place of a draft, such as {@code url}: 400. */
        static ProblemException bad(String place, String detail) {
            return ProblemException.badRequest("bad_watch", "The watch is invalid", detail)
                    .with("place", place);
        }
    }
}
