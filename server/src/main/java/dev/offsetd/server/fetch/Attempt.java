package dev.offsetd.server.fetch;

import dev.offsetd.server.outcome.Cause;
import java.time.Duration;
import java.util.Optional;

/**
 * Result of one attempt to download a file.
 *
 * @param transportFailed whether the connection failed, rather than the content of this file
 * @param wireBytes bytes of the body received, before decompression
 */
record Attempt(FetchOutcome outcome, boolean transportFailed, long wireBytes) {

    /** Evidence about the health of an upstream, for its circuit breaker. */
    enum Sign {
        /** It answers. A wrong file for one build does not count against the upstream. */
        WORKS,
        /** It timed out, was unreachable, truncated the response, or reported a server error. */
        FAILS,
        /** No evidence: it requested a pause, or this server failed. */
        NONE
    }

    Sign sign() {
        return switch (outcome) {
            case FetchOutcome.Fetched _, FetchOutcome.NotFound _ -> Sign.WORKS;
            case FetchOutcome.Refused(int status, Optional<Duration> _, String _) ->
                pause().isPresent() ? Sign.NONE : status == 429 || status >= 500 ? Sign.FAILS : Sign.WORKS;
            case FetchOutcome.Failed(Cause cause, String _) ->
                switch (cause) {
                    case UPSTREAM_SILENT -> Sign.FAILS;
                    case DISK_FAILED, INTERNAL -> Sign.NONE;
                    default -> transportFailed ? Sign.FAILS : Sign.WORKS;
                };
            case FetchOutcome.Skipped _ -> Sign.NONE;
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
