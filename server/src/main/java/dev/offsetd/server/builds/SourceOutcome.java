package dev.offsetd.server.builds;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What one source of debug files said about a build when it was last asked.
 *
 * @param source the upstream's URL, the local folder, or {@link Upload#SOURCE} for a file that somebody uploaded
 * @param problem why the source could not serve; null if it did
 * @param misses how often in a row it has said no
 * @param askedAt when, by the database's clock
 * @param retryAfter time until it should be asked again, counted from when this was read or written; zero or less once
 *     it is due
 */
public record SourceOutcome(
        String source,
        Origin origin,
        Kind kind,
        @Nullable BuildProblem problem,
        int misses,
        Instant askedAt,
        Duration retryAfter) {

    /** Kinds of outcomes. Only {@link #NOT_FOUND} and {@link #UNUSABLE} say something about the build. */
    public enum Kind {
        FETCHED,
        NOT_FOUND,
        REFUSED,
        TIMED_OUT,
        BROKEN,
        UNUSABLE,
        LOCAL_FAILURE,
        NOT_ASKED;

        /** As the database and answers spell it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Kind ofWord(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** What happened, in words. */
    public String detail() {
        return problem == null ? "fetched and verified" : problem.detail();
    }

    /** Whether it is too early to ask the source again. */
    public boolean stillHolds() {
        return retryAfter.isPositive();
    }
}
