package dev.offsetd.server.sources;

import dev.offsetd.server.sources.outcome.Cause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Outcome of querying one source for one build. Only {@link NotFound} says anything about whether the build exists.
 * Details are one line for people; text from the upstream is escaped and truncated.
 */
public sealed interface FetchOutcome {

    /** The verified file. The receiver closes it. */
    record Fetched(CachedFile file) implements FetchOutcome {}

    /** The source answered, and does not have the build. */
    record NotFound(Finality finality) implements FetchOutcome {}

    /** How long a negative answer of a source can be relied on. */
    enum Finality {
        /** The source knows every build that it will ever have. */
        FINAL,
        /** The source queries others, and answers "not found" when they fail, too. */
        MAY_HIDE_A_FAILURE,
        /** The source prepares a file after the first request for it. */
        MAY_COME_LATER
    }

    /**
     * The source was skipped: its circuit breaker is open, or it requested a pause.
     *
     * @param cause its last failure
     * @param retryAfter time until it may be queried
     */
    record Skipped(Cause cause, Duration retryAfter, String detail) implements FetchOutcome {}

    /**
     * The upstream answered with an HTTP error.
     *
     * @param httpStatus 4xx other than 404 and 410, or 5xx
     * @param retryAfter the requested pause, within the configured bound; null if there is none
     */
    record Refused(int httpStatus, @Nullable Duration retryAfter, String detail) implements FetchOutcome {}

    /**
     * The source did not provide a usable file.
     *
     * @param cause {@link Cause#UPSTREAM_SILENT}, {@link Cause#UPSTREAM_BROKEN}, {@link Cause#TOO_LARGE},
     *     {@link Cause#DISK_FAILED} or {@link Cause#INTERNAL}
     */
    record Failed(Cause cause, String detail) implements FetchOutcome {}

    static FetchOutcome timedOut(String detail) {
        return new Failed(Cause.UPSTREAM_SILENT, detail);
    }

    static FetchOutcome broken(String detail) {
        return new Failed(Cause.UPSTREAM_BROKEN, detail);
    }

    static FetchOutcome tooLarge(String detail) {
        return new Failed(Cause.TOO_LARGE, detail);
    }

    static FetchOutcome diskFailed(String detail) {
        return new Failed(Cause.DISK_FAILED, detail);
    }

    /** The value of the metric tag {@code outcome}. */
    default String word() {
        return switch (this) {
            case Fetched _ -> "fetched";
            case Skipped _ -> "not_asked";
            case NotFound _ -> word(Cause.NOT_FOUND);
            case Refused _ -> word(Cause.UPSTREAM_REFUSED);
            case Failed failed -> word(failed.cause());
        };
    }

    private static String word(Cause cause) {
        return cause == Cause.TOO_LARGE ? cause.code() : cause.sourceOutcome();
    }
}
