package dev.offsetd.server.operations.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SingleFlightTests {

    private static final int CALLERS = 100;

    private final SingleFlight<String, CompletableFuture<Integer>> flights = new SingleFlight<>();

    private CompletableFuture<Integer> begin(String key) {
        CompletableFuture<Integer> own = new CompletableFuture<>();
        assertThat(flights.join(key, own)).isEmpty();
        return own;
    }

    @Test
    void oneOfManyCallersDoesTheWorkAndAllGetItsResult() throws Exception {
        AtomicInteger works = new AtomicInteger();
        CountDownLatch joined = new CountDownLatch(CALLERS);
        List<Future<Integer>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CALLERS; i++) {
                results.add(threads.submit(() -> {
                    CompletableFuture<Integer> own = new CompletableFuture<>();
                    Optional<CompletableFuture<Integer>> others = flights.join("a", own);
                    joined.countDown();
                    if (others.isEmpty()) {
                        joined.await();
                        own.complete(works.incrementAndGet());
                    }
                    return SingleFlight.await(others.orElse(own)).orElseThrow();
                }));
            }
        }
        for (Future<Integer> result : results) {
            assertThat(result.get()).isEqualTo(1);
        }
        assertThat(flights.size()).isZero();
    }

    @Test
    void workOfOtherKeysIsNotJoined() {
        CompletableFuture<Integer> first = begin("a");
        CompletableFuture<Integer> second = begin("b");
        assertThat(flights.size()).isEqualTo(2);
        assertThat(flights.all()).containsExactlyInAnyOrder(first, second);
    }

    @Test
    void workInProgressIsFound() {
        assertThat(flights.find("a")).isEmpty();
        CompletableFuture<Integer> work = begin("a");
        assertThat(flights.find("a")).containsSame(work);
        work.complete(1);
        assertThat(flights.find("a")).isEmpty();
    }

    /** The observer runs before the work is removed. */
    @Test
    void callerWhoHasSeenTheResultBeginsNewWork() {
        CompletableFuture<Integer> work = new CompletableFuture<>();
        CompletableFuture<Integer> next = new CompletableFuture<>();
        List<Optional<CompletableFuture<Integer>>> others = new ArrayList<>();
        assertThat(flights.join("a", work)).isEmpty();
        Future<?> _ = work.thenAccept(_ -> others.add(flights.join("a", next)));
        work.complete(1);
        assertThat(others).containsExactly(Optional.empty());
        assertThat(flights.find("a")).containsSame(next);
    }

    @Test
    void failureIsSharedAndEndsTheWork() {
        CompletableFuture<Integer> work = begin("a");
        work.completeExceptionally(new IllegalArgumentException("broken"));
        assertThatThrownBy(() -> SingleFlight.await(work))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("broken");
        assertThat(flights.size()).isZero();
    }

    @Test
    void checkedFailureIsWrapped() {
        CompletableFuture<Integer> work = begin("a");
        work.completeExceptionally(new InterruptedException("stopped"));
        assertThatThrownBy(() -> SingleFlight.await(work))
                .isInstanceOf(IllegalStateException.class)
                .hasRootCauseMessage("stopped");
    }

    @Test
    void cancelledWorkHasNoResultAndTheNextCallerBeginsAnew() throws Exception {
        CompletableFuture<Integer> work = begin("a");
        work.cancel(false);
        assertThat(SingleFlight.await(work)).isEmpty();
        assertThat(begin("a")).isNotDone();
    }

    @Test
    void cancellingAfterTheResultHasNoEffect() throws Exception {
        CompletableFuture<Integer> work = begin("a");
        work.complete(1);
        work.cancel(false);
        assertThat(SingleFlight.await(work)).contains(1);
    }
}
