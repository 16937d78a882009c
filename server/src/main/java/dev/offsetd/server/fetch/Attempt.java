package dev.offsetd.server.fetch;

import java.time.Duration;
import java.util.Optional;

/**
 * What came of one attempt to download one file.
 *
 * @param transportFailed whether the way to the upstream failed, and not only this file
 * @param wireBytes bytes of the body that came, before decompression
 */
record Attempt(FetchOutcome outcome, boolean transportFailed, long wireBytes) {

    /** What an attempt shows of an upstream. */
    enum Sign {
        /** It answers. What it says about one build, right or wrong, does not speak against it. */
        WORKS,
        /** It was silent, could not be reached, cut the answer off or failed by its own word. */
        FAILS,
        /** Nothing: it asked for a pause, or we failed. */
        NONE
    }

    Sign sign() {
        return switch (outcome) {
            case FetchOutcome.Fetched _, FetchOutcome.NotFound _, FetchOutcome.TooLarge _ -> Sign.WORKS;
            case FetchOutcome.Refused(int status, Optional<Duration> _, String _) ->
                pause().isPresent() ? Sign.NONE : status == 429 || status >= 500 ? Sign.FAILS : Sign.WORKS;
            case FetchOutcome.TimedOut _ -> Sign.FAILS;
            case FetchOutcome.Broken _ -> transportFailed ? Sign.FAILS : Sign.WORKS;
            case FetchOutcome.LocalFailure _, FetchOutcome.NotAsked _ -> Sign.NONE;
        };
    }

    /** How long the upstream as a whole wants to be left in peace (RFC 9110 section 10.2.3 with 503, RFC 6585 with 429). */
    Optional<Duration> pause() {
        return outcome instanceof FetchOutcome.Refused(int status, Optional<Duration> retryAfter, String _)
                        && (status == 429 || status == 503)
                ? retryAfter
                : Optional.empty();
    }

    /** The outcome as one word. */
    UpstreamHealth.Outcome kind() {
        return switch (outcome) {
            case FetchOutcome.Fetched _ -> UpstreamHealth.Outcome.FETCHED;
            case FetchOutcome.NotFound _ -> UpstreamHealth.Outcome.NOT_FOUND;
            case FetchOutcome.Refused _ -> UpstreamHealth.Outcome.REFUSED;
            case FetchOutcome.TimedOut _ -> UpstreamHealth.Outcome.TIMED_OUT;
            case FetchOutcome.Broken _ -> UpstreamHealth.Outcome.BROKEN;
            case FetchOutcome.TooLarge _ -> UpstreamHealth.Outcome.TOO_LARGE;
            case FetchOutcome.LocalFailure _ -> UpstreamHealth.Outcome.LOCAL_FAILURE;
            case FetchOutcome.NotAsked _ -> UpstreamHealth.Outcome.NOT_ASKED;
        };
    }
}
