package dev.offsetd.server.prewarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.builds.Build;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.outcome.Cause;
import dev.offsetd.server.outcome.Failure;
import dev.offsetd.server.testkit.SmallBuild;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which results of a build are tried again. */
class OutcomeTests {

    private static final Duration RETRY = Duration.ofSeconds(90);

    @Test
    void noOfEverySourceIsDefinite() {
        assertThat(of(BuildState.NOT_FOUND, "not_found")).isEqualTo(new Outcome.Definite(cause("not_found")));
        assertThat(of(BuildState.NOT_FOUND, "no_sources")).isEqualTo(new Outcome.Definite(cause("no_sources")));
    }

    @Test
    void noOfSomeSourcesIsTriedAgain() {
        assertThat(of(BuildState.NOT_FOUND, "incomplete")).isEqualTo(new Outcome.Passing(cause("incomplete"), RETRY));
    }

    @ParameterizedTest
    @ValueSource(strings = {"malformed", "unsupported", "limit_exceeded", "no_debuginfo", "too_large"})
    void fileThatCannotServeIsDefinite(String code) {
        assertThat(of(BuildState.UNUSABLE, code)).isEqualTo(new Outcome.Definite(cause(code)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"upstream_broken", "upstream_silent", "upstream_refused", "disk_failed", "internal"})
    void failureIsTriedAgainWhenTheBuildSaysSo(String code) {
        assertThat(of(BuildState.FAILED, code)).isEqualTo(new Outcome.Passing(cause(code), RETRY));
    }

    private static PrewarmCause cause(String code) {
        return new PrewarmCause(code, "why");
    }

    private static Outcome of(BuildState state, String code) {
        return Outcome.of(new Build(
                SmallBuild.ID,
                state,
                false,
                1,
                Optional.empty(),
                Optional.empty(),
                Optional.of(new Failure(Cause.ofCode(code), "why")),
                1,
                RETRY,
                1,
                0,
                List.of()));
    }
}
