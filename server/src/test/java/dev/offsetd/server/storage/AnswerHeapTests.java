package dev.offsetd.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AnswerHeapTests {

    private static final long MEBIBYTE = 1 << 20;

    private static final ComputePool THREADS =
            new ComputePool("answers", Integer.MAX_VALUE, new PeriodicTasks(), new SimpleMeterRegistry());

    private final AnswerHeap heap = new AnswerHeap(80 * MEBIBYTE, null, THREADS);

    @Test
    @ChecklistRow(2)
    void largeAnswerWaitsForAnotherAndSmallOnesDoNot() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> first = threads.submit(() -> heap.keeping(6 * MEBIBYTE, () -> {
                inside.countDown();
                return waited(end);
            }));
            inside.await();
            Future<Integer> second = threads.submit(() -> heap.keeping(6 * MEBIBYTE, () -> 2));

            assertThat(heap.keeping(MEBIBYTE / 2, () -> 1)).isEqualTo(1);
            Thread.sleep(100);
            assertThat(second.isDone()).isFalse();
            end.countDown();
            assertThat(first.get()).isTrue();
            assertThat(second.get()).isEqualTo(2);
        }
    }

    @Test
    @ChecklistRow(2)
    void largeAnswerWaitsNoLongerThanItsTimeout() throws Exception {
        AnswerHeap bounded = new AnswerHeap(80 * MEBIBYTE, Duration.ofMillis(200), THREADS);
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> slow = threads.submit(() -> bounded.keeping(6 * MEBIBYTE, () -> {
                inside.countDown();
                return waited(end);
            }));
            inside.await();
            assertThatThrownBy(() -> bounded.keeping(6 * MEBIBYTE, () -> 2))
                    .isInstanceOf(StoreUnreachableException.class);
            end.countDown();
            assertThat(slow.get()).isTrue();
            assertThat(bounded.keeping(6 * MEBIBYTE, () -> 2)).isEqualTo(2);
        }
    }

    @Test
    @ChecklistRow(2)
    void answerLargerThanTheHeapTakesAllOfIt() {
        assertThat(heap.keeping(Long.MAX_VALUE, () -> 1)).isEqualTo(1);
        assertThat(heap.keeping(Long.MAX_VALUE, () -> 2)).isEqualTo(2);
    }

    private static boolean waited(CountDownLatch latch) {
        try {
            return latch.await(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
