package dev.offsetd.server.operations.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedReadsTests {

    private static final int CALLERS = 100;

    private final SharedReads<String, Integer> reads = new SharedReads<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger stored = new AtomicInteger();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    @Test
    void callersThatComeDuringAReadShareTheNextOneAndSeeWhatWasStoredMeanwhile() throws Exception {
        Future<Integer> first = threads.submit(() -> reads.read("a", this::slowly));
        begun.await();
        stored.set(1);
        List<Future<Integer>> others = callers(this::read);

        mayEnd.countDown();

        assertThat(first.get()).isZero();
        for (Future<Integer> other : others) {
            assertThat(other.get()).isEqualTo(1);
        }
        assertThat(count).hasValue(2);
    }

    @Test
    void callersThatComeDuringAFailingReadShareItsFailure() throws Exception {
        Future<Integer> first = threads.submit(() -> reads.read("a", () -> {
            slowly();
            throw new IllegalStateException("unreachable");
        }));
        begun.await();
        List<Future<Integer>> others = callers(this::read);

        mayEnd.countDown();

        others.add(first);
        for (Future<Integer> other : others) {
            assertThatThrownBy(other::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasRootCauseMessage("unreachable");
        }
        assertThat(count).hasValue(1);
        assertThat(reads.read("a", this::read)).as("a later read").isZero();
    }

    @Test
    void callersWithOtherKeysDoNotWait() throws Exception {
        Future<Integer> first = threads.submit(() -> reads.read("a", this::slowly));
        begun.await();

        assertThat(reads.read("b", this::read)).isZero();

        mayEnd.countDown();
        first.get();
    }

    @Test
    void callersAfterEachOtherReadEachForThemselves() {
        for (int i = 0; i < 3; i++) {
            stored.set(i);
            assertThat(reads.read("a", this::read)).isEqualTo(i);
        }
    }

    private int read() {
        count.incrementAndGet();
        return stored.get();
    }

    private int slowly() {
        int read = read();
        begun.countDown();
        try {
            mayEnd.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return read;
    }

    /** Returns callers that wait for the read in progress. */
    private List<Future<Integer>> callers(Supplier<Integer> reader) throws InterruptedException {
        List<Thread> waiting = new ArrayList<>();
        List<Future<Integer>> results = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            results.add(threads.submit(() -> {
                synchronized (waiting) {
                    waiting.add(Thread.currentThread());
                }
                return reads.read("a", reader);
            }));
        }
        while (!areAllWaiting(waiting)) {
            Thread.sleep(5);
        }
        return results;
    }

    private static boolean areAllWaiting(List<Thread> threads) {
        synchronized (threads) {
            return threads.size() == CALLERS
                    && threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING);
        }
    }
}
