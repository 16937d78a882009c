package dev.offsetd.server.extraction;

import dev.offsetd.server.builds.BuildProblem;
import dev.offsetd.server.builds.BuildState;
import dev.offsetd.server.builds.Origin;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.SourceOutcome.Kind;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;

/**
 * What it means for a build that no source could serve. A failure outweighs everything: while one source may still have
 * the build, it is neither missing nor unusable. A file that cannot serve outweighs a no.
 *
 * <p>An upstream that was not asked, because it did not work lately, keeps nobody from hearing the no of another upstream,
 * but makes it an incomplete one, which is forgotten soon. Where no upstream has said no it counts as the failure that it
 * is: a folder on this machine does not stand for the world.
 */
final class Verdict {

    private Verdict() {}

    /**
     * The verdict on these outcomes, none of which is {@link Kind#FETCHED}.
     *
     * @param outcomes one for each source; empty if there are no sources
     */
    static RoundResult.Without of(List<SourceOutcome> outcomes, RetryTimes retryTimes) {
        if (outcomes.isEmpty()) {
            return new RoundResult.Without(
                    BuildState.NOT_FOUND,
                    new BuildProblem(
                            "no_sources",
                            "the server asks no upstream and has no local folder to look into",
                            null,
                            null),
                    retryTimes.afterNotFoundLocally(),
                    outcomes);
        }
        boolean upstreamSaidNo = outcomes.stream()
                .anyMatch(outcome -> outcome.kind() == Kind.NOT_FOUND && outcome.origin() == Origin.DEBUGINFOD);
        SourceOutcome weightiest = outcomes.stream()
                .min(Comparator.comparingInt(outcome -> rank(outcome.kind(), upstreamSaidNo)))
                .orElseThrow();
        Duration retryAfter = outcomes.stream()
                .map(SourceOutcome::retryAfter)
                .min(Comparator.naturalOrder())
                .orElseThrow();
        return new RoundResult.Without(
                state(weightiest.kind()), problem(weightiest, outcomes), retryAfter, List.copyOf(outcomes));
    }

    private static int rank(Kind kind, boolean upstreamSaidNo) {
        return switch (kind) {
            case LOCAL_FAILURE -> 0;
            case BROKEN -> 1;
            case REFUSED -> 2;
            case TIMED_OUT -> 3;
            case NOT_ASKED -> upstreamSaidNo ? 7 : 4;
            case UNUSABLE -> 5;
            case NOT_FOUND -> 6;
            case FETCHED -> throw new IllegalArgumentException("a build that was fetched has no such verdict");
        };
    }

    private static BuildState state(Kind kind) {
        return switch (kind) {
            case NOT_FOUND -> BuildState.NOT_FOUND;
            case UNUSABLE -> BuildState.UNUSABLE;
            default -> BuildState.FAILED;
        };
    }

    private static BuildProblem problem(SourceOutcome outcome, List<SourceOutcome> all) {
        BuildProblem problem = outcome.problem();
        if (problem == null) {
            throw new IllegalArgumentException(outcome.source() + ": an outcome without a file has a problem");
        }
        if (outcome.kind() == Kind.NOT_FOUND) {
            List<String> notAsked = all.stream()
                    .filter(other -> other.kind() == Kind.NOT_ASKED)
                    .map(SourceOutcome::source)
                    .toList();
            return notAsked.isEmpty() ? miss(all.size()) : incompleteMiss(all.size(), notAsked);
        }
        return new BuildProblem(
                problem.code(), outcome.source() + ": " + problem.detail(), problem.section(), problem.offset());
    }

    private static BuildProblem miss(int sources) {
        return new BuildProblem(
                "not_found",
                sources == 1
                        ? "the one source that is asked does not have this build"
                        : "none of the " + sources + " sources has this build",
                null,
                null);
    }

    private static BuildProblem incompleteMiss(int sources, List<String> notAsked) {
        return new BuildProblem(
                "incomplete",
                (sources - notAsked.size()) + " of " + sources
                        + " sources do not have this build; not asked, because they do not work at present: "
                        + String.join(", ", notAsked),
                null,
                null);
    }
}
