package dev.offsetd.server.sources;

import dev.offsetd.server.operations.Word;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Health of an upstream since this server started.
 *
 * @param name base URL without credentials
 * @param lastFailureAt end of the last failed request; null if none failed
 * @param lastFailure detail of that failure, one line; null if none failed
 * @param retryAfter time until it may be queried; zero if it may be queried now
 * @param latest the most recent requests, the latest last
 */
public record UpstreamHealth(
        String name,
        boolean enabled,
        BreakerState breaker,
        @Nullable Instant lastFailureAt,
        @Nullable String lastFailure,
        Duration retryAfter,
        long requests,
        long failures,
        List<Request> latest) {

    public UpstreamHealth {
        latest = List.copyOf(latest);
    }

    /**
     * One request.
     *
     * @param at its end
     * @param outcome see {@link FetchOutcome#word}
     * @param took its duration, including the transfer of the file
     */
    public record Request(Instant at, String outcome, Duration took) {}

    public enum BreakerState implements Word {
        /** The server queries the upstream. */
        CLOSED,
        /** The upstream is skipped after several consecutive failures. */
        OPEN,
        /** A single request tests whether the upstream works again. */
        HALF_OPEN
    }
}
