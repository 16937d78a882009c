package dev.offsetd.server.prewarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.testkit.SmallBuild;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which results of a build are tried again. */
class AttemptOutcomeTests {

    private static final Duration RETRY = Duration.ofSeconds(90);

    @Test
    void noOfEverySourceIsDefinite() {
        assertThat(of(BuildState.NOT_FOUND, "not_found")).isEqualTo(new AttemptOutcome.Definite(cause("not_found")));
        assertThat(of(BuildState.NOT_FOUND, "no_sources")).isEqualTo(new AttemptOutcome.Definite(cause("no_sources")));
    }

    @Test
    void noOfSomeSourcesIsTriedAgain() {
        assertThat(of(BuildState.NOT_FOUND, "incomplete"))
                .isEqualTo(new AttemptOutcome.Passing(cause("incomplete"), RETRY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"malformed", "unsupported", "limit_exceeded", "no_debuginfo", "too_large"})
    void fileThatCannotServeIsDefinite(String code) {
        assertThat(of(BuildState.UNUSABLE, code)).isEqualTo(new AttemptOutcome.Definite(cause(code)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"upstream_broken", "upstream_silent", "upstream_refused", "disk_failed", "internal"})
    void failureIsTriedAgainWhenTheBuildSaysSo(String code) {
        assertThat(of(BuildState.FAILED, code)).isEqualTo(new AttemptOutcome.Passing(cause(code), RETRY));
    }

    private static PrewarmItem.Cause cause(String code) {
        return new PrewarmItem.Cause(code, "why");
    }

    private static AttemptOutcome of(BuildState state, String code) {
        return AttemptOutcome.of(new Build(
                SmallBuild.ID,
                state,
                false,
                false,
                false,
                1,
                null,
                null,
                null,
                new Failure(Cause.ofCode(code), "why"),
                new PartVersions(1, 1),
                RETRY,
                1,
                List.of()));
    }
}
