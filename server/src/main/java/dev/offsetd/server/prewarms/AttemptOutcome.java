package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;

/** Outcome of an attempt at an item. */
sealed interface AttemptOutcome {

    record Stored(Build build) implements AttemptOutcome {}

    /** The build is unavailable, and a retry would not help. */
    record Definite(PrewarmItem.Cause cause) implements AttemptOutcome {}

    /**
     * A failure that may pass.
     *
     * @param pause least delay until a retry
     */
    record Passing(PrewarmItem.Cause cause, Duration pause) implements AttemptOutcome {}

    /** Returns the outcome for a build with a result. */
    static AttemptOutcome of(Build build) {
        PrewarmItem.Cause cause = build.failure() == null ? lost(build.id()) : cause(build.failure());
        return switch (build.state()) {
            case EXTRACTED -> new Stored(build);
            case UNUSABLE -> new Definite(cause);
            // Definite only if every source answered.
            case NOT_FOUND ->
                cause.code().equals(Cause.INCOMPLETE.code())
                        ? new Passing(cause, build.retryAfter())
                        : new Definite(cause);
            case FAILED, WANTED -> new Passing(cause, build.retryAfter());
        };
    }

    /** Returns the outcome for an overloaded server. */
    static AttemptOutcome busy(Duration retryAfter) {
        return new Passing(new PrewarmItem.Cause("busy", "the server was busy"), retryAfter);
    }

    private static PrewarmItem.Cause cause(Failure failure) {
        return new PrewarmItem.Cause(failure.cause().code(), failure.detail());
    }

    private static PrewarmItem.Cause lost(BuildId id) {
        return new PrewarmItem.Cause("no_result", "the work on build " + id + " ended without a result");
    }
}
