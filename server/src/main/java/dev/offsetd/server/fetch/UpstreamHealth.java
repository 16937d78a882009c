package dev.offsetd.server.fetch;

import java.time.Duration;
import java.time.Instant;
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
 */
public record UpstreamHealth(
        String name,
        boolean enabled,
        Breaker breaker,
        @Nullable Instant lastAskedAt,
        @Nullable Outcome lastOutcome,
        @Nullable Instant lastFailureAt,
        @Nullable String lastFailure,
        Duration retryAfter) {

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
