package dev.offsetd.server.extraction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.builds.BuildProblem;
import dev.offsetd.server.builds.BuildState;
import dev.offsetd.server.builds.Origin;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.SourceOutcome.Kind;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictTests {

    private static final RetryTimes RETRY_TIMES = new RetryTimes(new ExtractionProperties.Retry(
            List.of(Duration.ofMinutes(10), Duration.ofHours(1)),
            List.of(Duration.ofMinutes(2)),
            Duration.ofSeconds(30),
            Duration.ofHours(24),
            Duration.ofSeconds(2),
            Duration.ofMinutes(5)));

    private static SourceOutcome outcome(String source, Kind kind, Duration retryAfter) {
        return new SourceOutcome(
                source,
                Origin.DEBUGINFOD,
                kind,
                new BuildProblem("code_of_" + source, "what " + source + " said", ".debug_info", 4L),
                1,
                Instant.EPOCH,
                retryAfter);
    }

    private static RoundResult.Without verdict(SourceOutcome... outcomes) {
        return Verdict.of(List.of(outcomes), RETRY_TIMES);
    }

    @Test
    void buildIsNotFoundOnlyIfEverySourceSaidNo() {
        RoundResult.Without verdict = verdict(
                outcome("a", Kind.NOT_FOUND, Duration.ofMinutes(2)),
                outcome("b", Kind.NOT_FOUND, Duration.ofMinutes(1)));
        assertThat(verdict.state()).isEqualTo(BuildState.NOT_FOUND);
        assertThat(verdict.problem().code()).isEqualTo("not_found");
        assertThat(verdict.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @CsvSource({"BROKEN", "REFUSED", "TIMED_OUT", "LOCAL_FAILURE"})
    void oneFailureOutweighsEveryNoAndEveryUselessFile(Kind failure) {
        RoundResult.Without verdict = verdict(
                outcome("a", Kind.NOT_FOUND, Duration.ofMinutes(2)),
                outcome("b", Kind.UNUSABLE, Duration.ofHours(24)),
                outcome("c", failure, Duration.ofSeconds(2)));
        assertThat(verdict.state()).isEqualTo(BuildState.FAILED);
        assertThat(verdict.problem().code()).isEqualTo("code_of_c");
        assertThat(verdict.problem().detail()).isEqualTo("c: what c said");
        assertThat(verdict.retryAfter()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void uselessFileOutweighsANoAndKeepsItsPlace() {
        RoundResult.Without verdict = verdict(
                outcome("a", Kind.NOT_FOUND, Duration.ofMinutes(2)), outcome("b", Kind.UNUSABLE, Duration.ofHours(24)));
        assertThat(verdict.state()).isEqualTo(BuildState.UNUSABLE);
        assertThat(verdict.problem()).isEqualTo(new BuildProblem("code_of_b", "b: what b said", ".debug_info", 4L));
    }

    @Test
    void brokenSourceOutweighsASilentOne() {
        RoundResult.Without verdict = verdict(
                outcome("a", Kind.TIMED_OUT, Duration.ofSeconds(2)), outcome("b", Kind.BROKEN, Duration.ofSeconds(2)));
        assertThat(verdict.problem().code()).isEqualTo("code_of_b");
    }

    @Test
    void withoutSourcesNothingIsFoundAndThatIsSaid() {
        RoundResult.Without verdict = verdict();
        assertThat(verdict.state()).isEqualTo(BuildState.NOT_FOUND);
        assertThat(verdict.problem().code()).isEqualTo("no_sources");
    }

    @Test
    void missesClimbTheLadderAndStayOnTop() {
        assertThat(RETRY_TIMES.afterNotFound(true, 1)).isEqualTo(Duration.ofMinutes(10));
        assertThat(RETRY_TIMES.afterNotFound(true, 2)).isEqualTo(Duration.ofHours(1));
        assertThat(RETRY_TIMES.afterNotFound(true, 99)).isEqualTo(Duration.ofHours(1));
        assertThat(RETRY_TIMES.afterNotFound(false, 2)).isEqualTo(Duration.ofMinutes(2));
    }

    @Test
    void sourceMayAskForMoreTimeButNotForEver() {
        assertThat(RETRY_TIMES.afterRefusal(Optional.empty())).isEqualTo(Duration.ofSeconds(2));
        assertThat(RETRY_TIMES.afterRefusal(Optional.of(Duration.ZERO))).isEqualTo(Duration.ofSeconds(2));
        assertThat(RETRY_TIMES.afterRefusal(Optional.of(Duration.ofMinutes(1)))).isEqualTo(Duration.ofMinutes(1));
        assertThat(RETRY_TIMES.afterRefusal(Optional.of(Duration.ofDays(1)))).isEqualTo(Duration.ofMinutes(5));
    }
}
