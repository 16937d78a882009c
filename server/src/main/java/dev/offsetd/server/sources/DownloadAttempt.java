package dev.offsetd.server.sources;

import dev.offsetd.server.sources.outcome.Cause;
import java.time.Duration;
import java.util.Optional;

/**
 * Result of one attempt to download a file.
 *
 * @param transportFailed whether the connection failed, rather than the content of this file
 * @param wireBytes bytes of the body received, before decompression
 */
record DownloadAttempt(FetchOutcome outcome, boolean transportFailed, long wireBytes) {

    /** Evidence about the health of an upstream, for its circuit breaker. */
    enum HealthSignal {
        /** It answers. A wrong file for one build does not count against the upstream. */
        WORKS,
        /** It timed out, was unreachable, truncated the response, or reported a server error. */
        FAILS,
        /** No evidence: it requested a pause, or this server failed. */
        NONE
    }

    HealthSignal sign() {
        return switch (outcome) {
            case FetchOutcome.Fetched _, FetchOutcome.NotFound _ -> HealthSignal.WORKS;
            case FetchOutcome.Refused(int status, Optional<Duration> _, String _) ->
                pause().isPresent()
                        ? HealthSignal.NONE
                        : status == 429 || status >= 500 ? HealthSignal.FAILS : HealthSignal.WORKS;
            case FetchOutcome.Failed(Cause cause, String _) ->
                switch (cause) {
                    case UPSTREAM_SILENT -> HealthSignal.FAILS;
                    case DISK_FAILED, SERVER_ENDED, INTERNAL -> HealthSignal.NONE;
                    default -> transportFailed ? HealthSignal.FAILS : HealthSignal.WORKS;
                };
            case FetchOutcome.Skipped _ -> HealthSignal.NONE;
        };
    }

    /** The pause that the upstream requests for all builds (RFC 9110 section 10.2.3 for 503, RFC 6585 for 429). */
    Optional<Duration> pause() {
        return outcome instanceof FetchOutcome.Refused(int status, Optional<Duration> retryAfter, String _)
                        && (status == 429 || status == 503)
                ? retryAfter
                : Optional.empty();
    }
}
