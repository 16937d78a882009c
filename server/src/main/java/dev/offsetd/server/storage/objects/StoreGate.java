package dev.offsetd.server.storage.objects;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Lets requests to the object store through, a bounded number at a time, and none for a while after several failures. */
final class StoreGate {

    private static final Logger log = LoggerFactory.getLogger(StoreGate.class);

    /** Consecutive failures after which the store is not asked. */
    private static final int FAILURES = 5;

    private static final Duration OPEN = Duration.ofSeconds(5);
    private static final Duration WAIT = Duration.ofSeconds(5);
    private static final int CONCURRENT = 64;
    private static final List<String> OPERATIONS = List.of("get", "put", "delete", "probe");
    private static final List<String> OUTCOMES = List.of("done", "failed", "skipped");

    private final Semaphore permits = new Semaphore(CONCURRENT, true);
    private final MeterRegistry meters;
    private final CircuitBreaker breaker;

    StoreGate(MeterRegistry meters) {
        this.meters = meters;
        this.breaker = CircuitBreaker.of(
                "object store",
                CircuitBreakerConfig.custom()
                        // A window of exactly the failures that open the breaker: they must be consecutive.
                        .slidingWindowType(CircuitBreakerConfig.SlidingWindowType.COUNT_BASED)
                        .slidingWindowSize(FAILURES)
                        .minimumNumberOfCalls(FAILURES)
                        .failureRateThreshold(100)
                        .waitDurationInOpenState(OPEN)
                        .permittedNumberOfCallsInHalfOpenState(1)
                        // A thread is interrupted when the server stops, which says nothing about the store.
                        .ignoreException(e -> !(e instanceof SdkException)
                                || Thread.currentThread().isInterrupted())
                        .build());
        breaker.getEventPublisher()
                .onStateTransition(event -> log.warn("object store: circuit breaker {}", event.getStateTransition()));
        Gauge.builder("offsetd.store.open", this, gate -> gate.isOpen() ? 1 : 0)
                .description("1 while the object store is not asked because it fails")
                .register(meters);
        // Registered at zero: a rate over a series that starts at 1 misses its first event.
        OPERATIONS.forEach(operation -> OUTCOMES.forEach(outcome -> requests(operation, outcome)));
    }

    private Timer requests(String operation, String outcome) {
        return Timer.builder("offsetd.store.requests")
                .description("Requests to the object store, with their retries")
                .tag("operation", operation)
                .tag("outcome", outcome)
                .register(meters);
    }

    /** Returns whether the last requests failed and none has succeeded since. */
    boolean isOpen() {
        return breaker.getState() != CircuitBreaker.State.CLOSED;
    }

    /** Fails if the store would not be asked now. */
    void check() {
        if (breaker.getState() == CircuitBreaker.State.OPEN) {
            throw skipped("check");
        }
    }

    /**
     * Runs a request.
     *
     * @throws StoreUnreachableException if it fails, or is not sent
     */
    <T> T request(String operation, Supplier<T> request) {
        long start = System.nanoTime();
        String outcome = "failed";
        try {
            T result = breaker.executeSupplier(() -> inTurn(request));
            outcome = "done";
            return result;
        } catch (CallNotPermittedException e) {
            outcome = "skipped";
            throw skipped(operation);
        } catch (SdkException e) {
            throw new StoreUnreachableException("object store: " + operation + ": " + cause(e), e);
        } finally {
            requests(operation, outcome).record(System.nanoTime() - start, TimeUnit.NANOSECONDS);
        }
    }

    private <T> T inTurn(Supplier<T> request) {
        try {
            if (!permits.tryAcquire(WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new StoreUnreachableException(CONCURRENT + " requests wait for the object store");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnreachableException("interrupted", e);
        }
        try {
            return request.get();
        } finally {
            permits.release();
        }
    }

    private static StoreUnreachableException skipped(String operation) {
        return new StoreUnreachableException("object store: " + operation + ": not asked, because it fails");
    }

    private static String cause(SdkException e) {
        return e instanceof S3Exception answered && answered.awsErrorDetails() != null
                ? answered.statusCode() + " " + answered.awsErrorDetails().errorCode()
                : String.valueOf(e.getMessage());
    }
}
