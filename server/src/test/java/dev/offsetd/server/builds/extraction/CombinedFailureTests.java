package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.FetchOutcome.Finality;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

@ChecklistRow({6, 20})
class CombinedFailureTests {

    private static final ExtractionProperties.Retry RETRY_TIMES = new ExtractionProperties.Retry(
            List.of(Duration.ofMinutes(10), Duration.ofHours(1)),
            List.of(Duration.ofMinutes(3)),
            List.of(Duration.ofMinutes(2), Duration.ofMinutes(10)),
            Duration.ofSeconds(30),
            Duration.ofHours(24),
            Duration.ofSeconds(2),
            Duration.ofMinutes(1));

    private static SourceOutcome outcome(String source, Cause cause, Duration retryAfter) {
        return new SourceOutcome(
                source,
                Origin.DEBUGINFOD,
                new Failure(cause, "what " + source + " said", ".debug_info", 4L),
                false,
                1,
                Instant.EPOCH,
                retryAfter);
    }

    private static SourceOutcome skipped(String source, Cause cause, Duration retryAfter) {
        SourceOutcome failed = outcome(source, cause, retryAfter);
        return new SourceOutcome(
                source, failed.origin(), failed.failure(), true, failed.misses(), failed.askedAt(), retryAfter);
    }

    private static AttemptResult.Without verdict(SourceOutcome... outcomes) {
        return CombinedFailure.of(List.of(outcomes), RETRY_TIMES);
    }

    @Test
    void diskCacheOfAnOfflineServerIsNoSourceInTheMessage() {
        SourceOutcome cache = outcome(DebugFileSources.DISK_CACHE, Cause.NOT_FOUND, Duration.ofMinutes(1));
        SourceOutcome folder = outcome("/usr/lib/debug", Cause.NOT_FOUND, Duration.ofMinutes(1));
        assertThat(verdict(folder, cache).failure().detail()).isEqualTo("the only source does not have this build");
    }

    @Test
    void buildIsNotFoundOnlyIfEverySourceLacksIt() {
        AttemptResult.Without verdict = verdict(
                outcome("a", Cause.NOT_FOUND, Duration.ofMinutes(2)),
                outcome("b", Cause.NOT_FOUND, Duration.ofMinutes(1)));
        assertThat(verdict.state()).isEqualTo(BuildState.NOT_FOUND);
        assertThat(verdict.failure().cause()).isEqualTo(Cause.NOT_FOUND);
        assertThat(verdict.retryAfter()).isEqualTo(Duration.ofMinutes(1));
    }

    @ParameterizedTest
    @CsvSource({"UPSTREAM_BROKEN", "UPSTREAM_REFUSED", "UPSTREAM_SILENT", "DISK_FAILED", "INTERNAL"})
    void failureOutweighsMissesAndUnusableFiles(Cause failure) {
        AttemptResult.Without verdict = verdict(
                outcome("a", Cause.NOT_FOUND, Duration.ofMinutes(2)),
                outcome("b", Cause.MALFORMED, Duration.ofHours(24)),
                outcome("c", failure, Duration.ofSeconds(2)));
        assertThat(verdict.state()).isEqualTo(BuildState.FAILED);
        assertThat(verdict.failure().cause()).isEqualTo(failure);
        assertThat(verdict.failure().detail()).isEqualTo("c: what c said");
        assertThat(verdict.retryAfter()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void unusableFileOutweighsAMissAndKeepsItsLocation() {
        AttemptResult.Without verdict = verdict(
                outcome("a", Cause.NOT_FOUND, Duration.ofMinutes(2)),
                outcome("b", Cause.MALFORMED, Duration.ofHours(24)));
        assertThat(verdict.state()).isEqualTo(BuildState.UNUSABLE);
        assertThat(verdict.failure()).isEqualTo(new Failure(Cause.MALFORMED, "b: what b said", ".debug_info", 4L));
    }

    @Test
    void brokenSourceOutweighsATimeout() {
        AttemptResult.Without verdict = verdict(
                outcome("a", Cause.UPSTREAM_SILENT, Duration.ofSeconds(2)),
                outcome("b", Cause.UPSTREAM_BROKEN, Duration.ofSeconds(2)));
        assertThat(verdict.failure().cause()).isEqualTo(Cause.UPSTREAM_BROKEN);
    }

    @Test
    void verdictWithoutSourcesNamesThemAsTheCause() {
        AttemptResult.Without verdict = verdict();
        assertThat(verdict.state()).isEqualTo(BuildState.NOT_FOUND);
        assertThat(verdict.failure().cause()).isEqualTo(Cause.NO_SOURCES);
    }

    @Test
    void skippedUpstreamMakesAMissIncomplete() {
        AttemptResult.Without verdict = verdict(
                outcome("a", Cause.NOT_FOUND, Duration.ofMinutes(10)),
                skipped("b", Cause.UPSTREAM_SILENT, Duration.ofSeconds(40)));
        assertThat(verdict.state()).isEqualTo(BuildState.NOT_FOUND);
        assertThat(verdict.failure().cause()).isEqualTo(Cause.INCOMPLETE);
        assertThat(verdict.failure().detail()).startsWith("1 of 2 sources").endsWith(": b");
        assertThat(verdict.retryAfter()).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void unusableFileOutweighsAnIncompleteMiss() {
        AttemptResult.Without verdict = verdict(
                outcome("a", Cause.NOT_FOUND, Duration.ofMinutes(10)),
                skipped("b", Cause.UPSTREAM_SILENT, Duration.ofSeconds(40)),
                outcome("c", Cause.MALFORMED, Duration.ofHours(24)));
        assertThat(verdict.state()).isEqualTo(BuildState.UNUSABLE);
    }

    @Test
    void missOfAFolderIsInconclusiveWhileTheUpstreamIsSkipped() {
        SourceOutcome folder = new SourceOutcome(
                "/debug",
                Origin.LOCAL,
                new Failure(Cause.NOT_FOUND, "does not have it"),
                false,
                1,
                Instant.EPOCH,
                Duration.ofSeconds(30));
        AttemptResult.Without verdict = verdict(folder, skipped("b", Cause.UPSTREAM_SILENT, Duration.ofSeconds(40)));
        assertThat(verdict.state()).isEqualTo(BuildState.FAILED);
        assertThat(verdict.failure().cause()).isEqualTo(Cause.UPSTREAM_SILENT);
    }

    @Test
    @ChecklistRow(19)
    void consecutiveMissesBackOffUpToTheLastTime() {
        assertThat(RETRY_TIMES.afterNotFound(Finality.FINAL, List.of(), 1)).isEqualTo(Duration.ofMinutes(10));
        assertThat(RETRY_TIMES.afterNotFound(Finality.FINAL, List.of(), 2)).isEqualTo(Duration.ofHours(1));
        assertThat(RETRY_TIMES.afterNotFound(Finality.FINAL, List.of(), 99)).isEqualTo(Duration.ofHours(1));
        assertThat(RETRY_TIMES.afterNotFound(Finality.MAY_HIDE_A_FAILURE, List.of(), 2))
                .isEqualTo(Duration.ofMinutes(3));
        assertThat(RETRY_TIMES.afterNotFound(Finality.MAY_COME_LATER, List.of(), 1))
                .isEqualTo(Duration.ofMinutes(2));
        assertThat(RETRY_TIMES.afterNotFound(Finality.MAY_COME_LATER, List.of(), 2))
                .isEqualTo(Duration.ofMinutes(10));
    }

    @ParameterizedTest
    @EnumSource(Finality.class)
    @ChecklistRow(19)
    void backoffOfAnUpstreamOverridesTheDefault(Finality finality) {
        List<Duration> own = List.of(Duration.ofSeconds(7), Duration.ofSeconds(8));
        assertThat(RETRY_TIMES.afterNotFound(finality, own, 1)).isEqualTo(Duration.ofSeconds(7));
        assertThat(RETRY_TIMES.afterNotFound(finality, own, 3)).isEqualTo(Duration.ofSeconds(8));
    }

    @Test
    @ChecklistRow(19)
    void defaultBackoffs() {
        ExtractionProperties.Retry usual = new Binder(new MapConfigurationPropertySource())
                .bindOrCreate("offsetd.extraction", Bindable.of(ExtractionProperties.class))
                .retry();
        assertThat(usual.notFound())
                .containsExactly(
                        Duration.ofMinutes(10), Duration.ofMinutes(30), Duration.ofHours(1), Duration.ofHours(24));
        assertThat(usual.notFoundElsewhere()).startsWith(Duration.ofMinutes(2));
        assertThat(usual.notFoundOnDemand()).startsWith(Duration.ofMinutes(2), Duration.ofMinutes(5));
    }

    @Test
    void sourceMayRequestALongerPause() {
        assertThat(RETRY_TIMES.afterRefusal(null)).isEqualTo(Duration.ofSeconds(2));
        assertThat(RETRY_TIMES.afterRefusal(Duration.ZERO)).isEqualTo(Duration.ofSeconds(2));
        assertThat(RETRY_TIMES.afterRefusal(Duration.ofMinutes(1))).isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void skippedSourceCountsAgainSoon() {
        assertThat(RETRY_TIMES.afterSkipped(Duration.ZERO)).isEqualTo(Duration.ofSeconds(2));
        assertThat(RETRY_TIMES.afterSkipped(Duration.ofSeconds(40))).isEqualTo(Duration.ofSeconds(40));
        assertThat(RETRY_TIMES.afterSkipped(Duration.ofMinutes(5))).isEqualTo(Duration.ofMinutes(1));
    }
}
