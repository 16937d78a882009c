package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.outcome.Cause;
import dev.offsetd.server.outcome.Failure;
import java.time.Duration;

/** What an attempt at a build came to. */
sealed interface Outcome {

    /** The build is stored. */
    record Stored(Build build) implements Outcome {}

    /** The build cannot be had, and another attempt would change nothing. */
    record Definite(PrewarmCause cause) implements Outcome {}

    /**
     * It did not work, for a reason that may pass.
     *
     * @param pause time until it is worth another attempt
     */
    record Passing(PrewarmCause cause, Duration pause) implements Outcome {}

    /** What the build's own result means. */
    static Outcome of(Build build) {
        PrewarmCause cause = build.failure().map(Outcome::cause).orElseGet(() -> lost(build.id()));
        return switch (build.state()) {
            case EXTRACTED -> new Stored(build);
            case UNUSABLE -> new Definite(cause);
            // A no is one only if every source has said it.
            case NOT_FOUND ->
                cause.code().equals(Cause.INCOMPLETE.code())
                        ? new Passing(cause, build.retryAfter())
                        : new Definite(cause);
            case FAILED, WANTED -> new Passing(cause, build.retryAfter());
        };
    }

    /** There is too much to do at present. */
    static Outcome busy(Duration retryAfter) {
        return new Passing(new PrewarmCause("busy", "the server had too much to do"), retryAfter);
    }

    private static PrewarmCause cause(Failure failure) {
        return new PrewarmCause(failure.cause().code(), failure.detail());
    }

    private static PrewarmCause lost(BuildId id) {
        return new PrewarmCause("no_result", "the work on build " + id + " ended without a result");
    }
}
