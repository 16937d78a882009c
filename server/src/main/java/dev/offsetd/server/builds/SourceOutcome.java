package dev.offsetd.server.builds;

import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of the last query to one source for a build.
 *
 * @param source the upstream's URL, the local folder, or {@link Upload#SOURCE} for an uploaded file
 * @param failure null if the source provided the file
 * @param skipped whether the source was not queried, because it is failing or asked for a pause
 * @param misses consecutive negative answers
 * @param askedAt when it was queried, by the clock of the server that did
 * @param retryAfter time until the source should be queried again, counted from when this was read or written; zero or less
 *     once it is due
 */
public record SourceOutcome(
        String source,
        Origin origin,
        @Nullable Failure failure,
        boolean skipped,
        int misses,
        Instant askedAt,
        Duration retryAfter) {

    static final String NOT_ASKED = "not_asked";

    /** The spelling in the database and in JSON. */
    public String word() {
        if (failure == null) {
            return "fetched";
        }
        return skipped ? NOT_ASKED : failure.cause().sourceOutcome();
    }

    /** Returns whether the source was queried and leaves the build in this state. */
    public boolean means(BuildState state) {
        return failure != null && !skipped && failure.cause().state() == state;
    }

    public String detail() {
        return failure == null ? "fetched and verified" : failure.detail();
    }

    /** Returns the same outcome with another time until the next query. */
    public SourceOutcome retriedAfter(Duration time) {
        return new SourceOutcome(source, origin, failure, skipped, misses, askedAt, time);
    }

    /** Returns whether it is too early to query the source again. */
    public boolean stillHolds() {
        return retryAfter.isPositive();
    }
}
