package dev.offsetd.server.fetch;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How an upstream has been doing, as this server saw it since it started.
 *
 * @param name base URL without credentials
 * @param enabled whether it is asked at all
 * @param lastAskedAt when it last answered, or failed to; null if it was not asked yet
 * @param lastOutcome what came of it; null if it was not asked yet
 * @param lastFailureAt when it last failed; null if it never did
 * @param lastFailure what it did then, one line; null if it never did
 * @param retryAfter time until it may be asked; zero if it may be asked now
 * @param requests how often it was asked
 * @param failures how often it failed of these
 * @param latest the last times that it was asked, the latest last
 */
public record UpstreamHealth(
        String name,
        boolean enabled,
        Breaker breaker,
        @Nullable Instant lastAskedAt,
        @Nullable Outcome lastOutcome,
        @Nullable Instant lastFailureAt,
        @Nullable String lastFailure,
        Duration retryAfter,
        long requests,
        long failures,
        List<Asked> latest) {

    public UpstreamHealth {
        latest = List.copyOf(latest);
    }

    /**
     * One time that it was asked.
     *
     * @param at when it had answered, or failed to
     * @param took time until then, the file included
     */
    public record Asked(Instant at, Outcome outcome, Duration took) {}

    /** States of the breaker. */
    public enum Breaker {
        /** It is asked. */
        CLOSED,
        /** It is left in peace, because it failed several times in a row. */
        OPEN,
        /** A single request shows whether it works again. */
        HALF_OPEN
    }

    /** What may come of asking. */
    public enum Outcome {
        FETCHED,
        NOT_FOUND,
        REFUSED,
        TIMED_OUT,
        BROKEN,
        TOO_LARGE,
        LOCAL_FAILURE,
        NOT_ASKED
    }
}
