package dev.offsetd.server.sources;

import dev.offsetd.server.sources.outcome.Cause;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether an upstream may be queried: not while its circuit breaker is open, nor during a pause that it requested. Only
 * the first queries to a failing upstream wait for its timeouts; later ones are skipped at once.
 */
final class UpstreamGate {

    private static final Logger log = LoggerFactory.getLogger(UpstreamGate.class);

    /** Requests that the health report lists. */
    private static final int REMEMBERED = 20;

    private final String name;
    private final boolean enabled;
    private final CircuitBreaker breaker;
    private final Duration openFor;
    private final Clock clock;

    // The fields below are guarded by this.
    private Instant pausedUntil = Instant.MIN;

    private Instant openedAt = Instant.MIN;
    private @Nullable Instant lastFailureAt;
    private @Nullable Cause lastCause;
    private @Nullable String lastFailure;
    private long requests;
    private long failures;
    private final Deque<UpstreamHealth.Request> latest = new ArrayDeque<>();

    /** Evidence about the health of an upstream, for its circuit breaker. */
    private enum HealthSignal {
        /** It answers. A wrong file for one build does not count against the upstream. */
        WORKS,
        /** It timed out, was unreachable, truncated the response, or reported a server error. */
        FAILS,
        /** No evidence: it requested a pause, or this server failed. */
        NONE
    }

    /**
     * @param name of the upstream, which may be logged and shown
     * @param enabled whether it is queried at all
     */
    UpstreamGate(String name, boolean enabled, FetchProperties.Breaker limits, Clock clock) {
        this.name = name;
        this.enabled = enabled;
        this.openFor = limits.openFor();
        this.clock = clock;
        this.breaker = CircuitBreaker.of(
                name,
                CircuitBreakerConfig.custom()
                        // A window of exactly the failures that open the breaker: they must be consecutive.
                        .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(limits.failures())
                        .minimumNumberOfCalls(limits.failures())
                        .failureRateThreshold(100)
                        .waitDurationInOpenState(openFor)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        .recordResult(sign -> sign == HealthSignal.FAILS)
                        .clock(clock)
                        .build());
        breaker.getEventPublisher().onStateTransition(event -> opened(event.getStateTransition()));
    }

    private void opened(CircuitBreaker.StateTransition transition) {
        if (transition.getToState() == CircuitBreaker.State.OPEN) {
            synchronized (this) {
                openedAt = clock.instant();
            }
            log.warn("upstream {} is not queried for {} s", name, openFor.toSeconds());
        } else {
            log.info("upstream {}: circuit breaker {}", name, transition);
        }
    }

    /** Returns why the upstream may not be queried now; empty if it may. Takes no permit. */
    synchronized Optional<FetchOutcome.Skipped> closedBecause() {
        Duration pause = Duration.between(clock.instant(), pausedUntil);
        if (pause.isPositive()) {
            return Optional.of(new FetchOutcome.Skipped(
                    Cause.UPSTREAM_REFUSED, pause, "skipped: it requested a pause" + afterLastFailure()));
        }
        Duration open = remainingOpen();
        return open.isPositive() ? Optional.of(broken(open)) : Optional.empty();
    }

    /**
     * Acquires a permit for one query. The caller then calls {@link #leave} or {@link #leaveWithoutResult} once.
     *
     * @return empty if the upstream may be queried
     */
    Optional<FetchOutcome.Skipped> enter() {
        Optional<FetchOutcome.Skipped> closed = closedBecause();
        if (closed.isPresent() || breaker.tryAcquirePermission()) {
            return closed;
        }
        synchronized (this) {
            // Half open: another request is testing the upstream.
            return Optional.of(broken(remainingOpen()));
        }
    }

    /**
     * Ends a query with its result.
     *
     * @param transportFailed whether the connection failed, rather than the content of this file
     */
    void leave(FetchOutcome outcome, boolean transportFailed, Duration took) {
        note(outcome, took);
        HealthSignal signal = signal(outcome, transportFailed);
        if (signal == HealthSignal.NONE) {
            breaker.releasePermission();
        } else {
            breaker.onResult(0, TimeUnit.NANOSECONDS, signal);
        }
    }

    private static HealthSignal signal(FetchOutcome outcome, boolean transportFailed) {
        return switch (outcome) {
            case FetchOutcome.Fetched _, FetchOutcome.NotFound _ -> HealthSignal.WORKS;
            case FetchOutcome.Refused(int status, Duration _, String _) ->
                pause(outcome).isPresent()
                        ? HealthSignal.NONE
                        : status == 429 || status >= 500 ? HealthSignal.FAILS : HealthSignal.WORKS;
            case FetchOutcome.Failed(Cause cause, String _) ->
                switch (cause) {
                    case UPSTREAM_SILENT -> HealthSignal.FAILS;
                    case DISK_FAILED, SERVER_ENDED, INTERNAL -> HealthSignal.NONE;
                    default -> transportFailed ? HealthSignal.FAILS : HealthSignal.WORKS;
                };
            case FetchOutcome.Skipped _ -> HealthSignal.NONE;
        };
    }

    /** Returns the pause that the upstream requests for all builds (RFC 9110 section 10.2.3 for 503, RFC 6585 for 429). */
    private static Optional<Duration> pause(FetchOutcome outcome) {
        return outcome instanceof FetchOutcome.Refused(int status, Duration retryAfter, String _)
                        && (status == 429 || status == 503)
                ? Optional.ofNullable(retryAfter)
                : Optional.empty();
    }

    /** Ends a query without a result, for which the upstream is not responsible. */
    void leaveWithoutResult() {
        breaker.releasePermission();
    }

    private synchronized void note(FetchOutcome outcome, Duration took) {
        Instant now = clock.instant();
        requests++;
        if (latest.size() == REMEMBERED) {
            latest.removeFirst();
        }
        latest.addLast(new UpstreamHealth.Request(now, outcome.word(), took));
        pause(outcome)
                .map(now::plus)
                .filter(until -> until.isAfter(pausedUntil))
                .ifPresent(until -> pausedUntil = until);
        switch (outcome) {
            case FetchOutcome.Failed(Cause cause, String detail)
            when cause == Cause.UPSTREAM_SILENT || cause == Cause.UPSTREAM_BROKEN -> failed(now, cause, detail);
            case FetchOutcome.Refused(int _, Duration _, String detail) -> failed(now, Cause.UPSTREAM_REFUSED, detail);
            case FetchOutcome.Fetched _, FetchOutcome.NotFound _, FetchOutcome.Failed _, FetchOutcome.Skipped _ -> {
                // Not the upstream's failure.
            }
        }
    }

    private void failed(Instant now, Cause cause, String detail) {
        failures++;
        lastFailureAt = now;
        lastCause = cause;
        lastFailure = detail;
    }

    private FetchOutcome.Skipped broken(Duration remaining) {
        return new FetchOutcome.Skipped(
                lastCause == null ? Cause.UPSTREAM_BROKEN : lastCause,
                remaining,
                "skipped: it is failing" + afterLastFailure());
    }

    private String afterLastFailure() {
        return lastFailure == null ? "" : "; last failure: " + lastFailure;
    }

    /** Returns zero unless the breaker is open. The breaker's own state stays open until the next request. */
    private Duration remainingOpen() {
        if (breaker.getState() != CircuitBreaker.State.OPEN) {
            return Duration.ZERO;
        }
        Duration open = Duration.between(clock.instant(), openedAt.plus(openFor));
        return open.isNegative() ? Duration.ZERO : open;
    }

    synchronized UpstreamHealth health() {
        return new UpstreamHealth(
                name,
                enabled,
                switch (breaker.getState()) {
                    case OPEN, FORCED_OPEN -> UpstreamHealth.BreakerState.OPEN;
                    case HALF_OPEN -> UpstreamHealth.BreakerState.HALF_OPEN;
                    case CLOSED, DISABLED, METRICS_ONLY -> UpstreamHealth.BreakerState.CLOSED;
                },
                lastFailureAt,
                lastFailure,
                closedBecause().map(FetchOutcome.Skipped::retryAfter).orElse(Duration.ZERO),
                requests,
                failures,
                List.copyOf(latest));
    }
}
