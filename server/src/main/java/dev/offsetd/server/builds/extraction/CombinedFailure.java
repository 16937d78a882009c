package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * Derives the state of a build from the outcomes of its sources, none of which provided a usable file. A failure outweighs
 * everything: while one source may still have the build, the build is neither missing nor unusable. An unusable file outweighs
 * a negative answer.
 *
 * <p>An upstream that was skipped does not hide the negative answer of another upstream, but makes it an incomplete one, which
 * expires soon. If no upstream gave a negative answer, the skipped one counts as the failure that it is: a local folder alone
 * does not show that a build is missing everywhere.
 */
final class CombinedFailure {

    private CombinedFailure() {}

    /** @param outcomes one for each source; empty if there are no sources */
    static AttemptResult.Without of(List<SourceOutcome> outcomes, ExtractionProperties.Retry retry) {
        if (outcomes.isEmpty()) {
            return new AttemptResult.Without(
                    new Failure(
                            Cause.NO_SOURCES,
                            "no source is configured: the server has neither an upstream nor a local folder"),
                    retry.notFoundLocally(),
                    outcomes);
        }
        boolean upstreamMiss = outcomes.stream()
                .anyMatch(outcome ->
                        outcome.means(BuildState.NOT_FOUND) && outcome.origin().isRemote());
        SourceOutcome weightiest = outcomes.stream()
                .min(Comparator.comparingInt(outcome -> rank(outcome, upstreamMiss)))
                .orElseThrow();
        Duration retryAfter = outcomes.stream()
                .map(SourceOutcome::retryAfter)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        return new AttemptResult.Without(failure(weightiest, outcomes), retryAfter, List.copyOf(outcomes));
    }

    private static int rank(SourceOutcome outcome, boolean upstreamMiss) {
        if (outcome.skipped()) {
            return upstreamMiss ? 7 : 4;
        }
        return switch (failure(outcome).cause()) {
            case DISK_FAILED, SERVER_ENDED, INTERNAL -> 0;
            case UPSTREAM_BROKEN -> 1;
            case UPSTREAM_REFUSED -> 2;
            case UPSTREAM_SILENT -> 3;
            case TOO_LARGE, MALFORMED, UNSUPPORTED, LIMIT_EXCEEDED, NO_DEBUGINFO, WRONG_BUILD_ID -> 5;
            case NOT_FOUND, INCOMPLETE, NO_SOURCES -> 6;
        };
    }

    private static Failure failure(SourceOutcome outcome) {
        Failure failure = outcome.failure();
        if (failure == null) {
            throw new IllegalArgumentException(outcome.source() + " provided the file; expected a failure");
        }
        return failure;
    }

    private static Failure failure(SourceOutcome outcome, List<SourceOutcome> all) {
        if (outcome.means(BuildState.NOT_FOUND)) {
            List<String> skipped = all.stream()
                    .filter(SourceOutcome::skipped)
                    .map(SourceOutcome::source)
                    .toList();
            return skipped.isEmpty() ? miss(all) : incompleteMiss(all.size(), skipped);
        }
        return failure(outcome).prefixed(outcome.source() + ": ");
    }

    private static Failure miss(List<SourceOutcome> all) {
        long sources = all.stream()
                .filter(outcome -> !outcome.source().equals(DebugFileSources.DISK_CACHE))
                .count();
        return new Failure(
                Cause.NOT_FOUND,
                sources <= 1
                        ? "the only source does not have this build"
                        : "none of the " + sources + " sources has this build");
    }

    private static Failure incompleteMiss(int sources, List<String> skipped) {
        return new Failure(
                Cause.INCOMPLETE,
                (sources - skipped.size()) + " of " + sources
                        + " sources do not have this build; skipped, because they are failing: "
                        + String.join(", ", skipped));
    }
}
