package dev.offsetd.server.sources;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.outcome.Cause;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@ChecklistRow(20)
class UpstreamGateTests {

    private static final Duration JUST_OVER_A_MINUTE = Duration.ofMillis(60_001);
    private static final Duration TOOK = Duration.ofMillis(120);
    private static final FetchOutcome SILENT = FetchOutcome.timedOut("no response headers within 5000 ms");
    private static final FetchOutcome BROKEN_TRANSPORT = FetchOutcome.broken("unexpected end of stream");
    private static final FetchOutcome NOT_FOUND = new FetchOutcome.NotFound(FetchOutcome.Finality.MAY_HIDE_A_FAILURE);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-20T12:00:00Z"));
    private final Clock clock = new UpstreamFixture.SetClock(now);
    private final UpstreamGate gate = new UpstreamGate(
            UpstreamFixture.policy("http://user:secret@upstream.test/", UpstreamFixture.PATIENT)
                    .name(),
            true,
            UpstreamFixture.upstreams().breaker(),
            clock);

    private void advance(Duration time) {
        now.updateAndGet(before -> before.plus(time));
    }

    private void ask(FetchOutcome outcome) {
        ask(outcome, false);
    }

    private void ask(FetchOutcome outcome, boolean transportFailed) {
        assertThat(gate.enter()).isEmpty();
        gate.leave(outcome, transportFailed, TOOK);
    }

    private void failFiveTimes() {
        for (int i = 0; i < 5; i++) {
            ask(SILENT);
        }
    }

    private static FetchOutcome refused(int status, Duration... retryAfter) {
        return new FetchOutcome.Refused(status, retryAfter.length == 0 ? null : retryAfter[0], "HTTP status " + status);
    }

    @Test
    void fiveConsecutiveFailuresCloseTheGateForAMinute() {
        failFiveTimes();
        assertThat(gate.enter())
                .contains(new FetchOutcome.Skipped(
                        Cause.UPSTREAM_SILENT,
                        Duration.ofSeconds(60),
                        "skipped: it is failing; last failure: no response headers within 5000 ms"));
        advance(Duration.ofSeconds(59));
        assertThat(gate.enter()).map(FetchOutcome.Skipped::retryAfter).contains(Duration.ofSeconds(1));
        advance(Duration.ofMillis(1_001));
        assertThat(gate.enter()).isEmpty();
    }

    @Test
    void fourFailuresDoNotCloseTheGate() {
        for (int i = 0; i < 4; i++) {
            ask(SILENT);
        }
        ask(NOT_FOUND);
        for (int i = 0; i < 4; i++) {
            ask(SILENT);
        }
        assertThat(gate.enter()).isEmpty();
    }

    static List<FetchOutcome> failures() {
        return List.of(
                SILENT,
                BROKEN_TRANSPORT,
                refused(500),
                refused(500, Duration.ofSeconds(1)),
                refused(503),
                refused(429));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void timeoutsBrokenTransportAndServerErrorsCount(FetchOutcome failure) {
        for (int i = 0; i < 5; i++) {
            ask(failure, failure.equals(BROKEN_TRANSPORT));
        }
        assertThat(gate.enter()).isPresent();
    }

    static List<FetchOutcome> answers() {
        return List.of(
                NOT_FOUND,
                new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL),
                FetchOutcome.tooLarge("Content-Length is 2"),
                refused(403),
                // A file that is not ELF or has another build-id does not count as a failure of the upstream.
                FetchOutcome.broken("NT_GNU_BUILD_ID is another"));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void answersEndARunOfFailures(FetchOutcome answer) {
        for (int i = 0; i < 4; i++) {
            ask(SILENT);
        }
        ask(answer);
        ask(SILENT);
        for (int i = 0; i < 20; i++) {
            ask(answer);
        }
        assertThat(gate.enter()).isEmpty();
    }

    @Test
    void localFailuresAndInterruptsDoNotCount() {
        for (int i = 0; i < 4; i++) {
            ask(SILENT);
        }
        for (int i = 0; i < 10; i++) {
            ask(FetchOutcome.diskFailed("No space left on device"));
            assertThat(gate.enter()).isEmpty();
            gate.leaveWithoutResult();
        }
        ask(SILENT);
        assertThat(gate.enter()).as("the fifth in a row").isPresent();
    }

    @Test
    void singleRequestTestsTheUpstreamAfterTheMinute() {
        failFiveTimes();
        advance(JUST_OVER_A_MINUTE);
        assertThat(gate.enter()).isEmpty();
        assertThat(gate.health().breaker()).isEqualTo(UpstreamHealth.BreakerState.HALF_OPEN);
        assertThat(gate.enter()).as("the others wait for it").isPresent();
        gate.leave(SILENT, false, TOOK);
        assertThat(gate.enter()).map(FetchOutcome.Skipped::retryAfter).contains(Duration.ofSeconds(60));
        advance(JUST_OVER_A_MINUTE);
        ask(NOT_FOUND);
        assertThat(gate.health().breaker()).isEqualTo(UpstreamHealth.BreakerState.CLOSED);
        ask(SILENT);
        assertThat(gate.enter()).isEmpty();
    }

    @Test
    void inconclusiveRequestAdmitsTheNextOne() {
        failFiveTimes();
        advance(JUST_OVER_A_MINUTE);
        assertThat(gate.enter()).isEmpty();
        gate.leaveWithoutResult();
        assertThat(gate.enter()).isEmpty();
        gate.leave(FetchOutcome.diskFailed("No space left on device"), false, TOOK);
        assertThat(gate.enter()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 503})
    void requestedPauseHoldsForEveryBuild(int status) {
        ask(refused(status, Duration.ofSeconds(40)));
        assertThat(gate.enter())
                .contains(new FetchOutcome.Skipped(
                        Cause.UPSTREAM_REFUSED,
                        Duration.ofSeconds(40),
                        "skipped: it requested a pause; last failure: HTTP status " + status));
        assertThat(gate.health().breaker()).isEqualTo(UpstreamHealth.BreakerState.CLOSED);
        assertThat(gate.health().retryAfter()).isEqualTo(Duration.ofSeconds(40));
        advance(Duration.ofSeconds(40));
        assertThat(gate.enter()).isEmpty();
    }

    @Test
    void longerOfTwoPausesCounts() {
        assertThat(gate.enter()).isEmpty();
        assertThat(gate.enter()).isEmpty();
        gate.leave(refused(429, Duration.ofSeconds(40)), false, TOOK);
        gate.leave(refused(429, Duration.ofSeconds(1)), false, TOOK);
        assertThat(gate.closedBecause()).map(FetchOutcome.Skipped::retryAfter).contains(Duration.ofSeconds(40));
    }

    @Test
    void otherRefusalsPauseNothing() {
        ask(refused(500, Duration.ofSeconds(40)));
        assertThat(gate.enter()).isEmpty();
    }

    @Test
    void healthHasNoCredentials() {
        assertThat(gate.health())
                .isEqualTo(new UpstreamHealth(
                        "http://upstream.test/",
                        true,
                        UpstreamHealth.BreakerState.CLOSED,
                        null,
                        null,
                        Duration.ZERO,
                        0,
                        0,
                        List.of()));
        Instant failed = clock.instant();
        failFiveTimes();
        advance(Duration.ofSeconds(20));
        UpstreamHealth health = gate.health();
        assertThat(health.breaker()).isEqualTo(UpstreamHealth.BreakerState.OPEN);
        assertThat(health.latest().getLast().outcome()).isEqualTo("timed_out");
        assertThat(health.lastFailure()).isEqualTo("no response headers within 5000 ms");
        assertThat(health.retryAfter()).isEqualTo(Duration.ofSeconds(40));
        advance(JUST_OVER_A_MINUTE);
        ask(NOT_FOUND);
        UpstreamHealth later = gate.health();
        assertThat(later)
                .isEqualTo(new UpstreamHealth(
                        "http://upstream.test/",
                        true,
                        UpstreamHealth.BreakerState.CLOSED,
                        failed,
                        "no response headers within 5000 ms",
                        Duration.ZERO,
                        6,
                        5,
                        later.latest()));
        assertThat(later.latest())
                .hasSize(6)
                .last()
                .isEqualTo(new UpstreamHealth.Request(clock.instant(), "not_found", TOOK));
    }

    @Test
    void healthListsTheLastTwentyRequests() {
        for (int i = 0; i < 25; i++) {
            advance(Duration.ofSeconds(1));
            ask(NOT_FOUND);
        }
        UpstreamHealth health = gate.health();
        assertThat(health.requests()).isEqualTo(25);
        assertThat(health.latest())
                .hasSize(20)
                .last()
                .extracting(UpstreamHealth.Request::at)
                .isEqualTo(clock.instant());
    }

    @Test
    void reasonIsTheLastFailure() {
        for (int i = 0; i < 4; i++) {
            ask(SILENT);
        }
        ask(refused(502));
        assertThat(gate.enter()).map(FetchOutcome.Skipped::cause).contains(Cause.UPSTREAM_REFUSED);
    }
}
