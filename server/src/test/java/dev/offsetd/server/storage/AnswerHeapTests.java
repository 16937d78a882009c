package dev.offsetd.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpStatus;

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

    /** Heap of 80 MiB: 68 KiB of types are not counted, and 1.7 MiB are the most. */
    @Test
    @ChecklistRow(2)
    void lookUpOfMoreTypesThanEstimatedBeginsAgainWithMoreHeap() {
        StoredCatalogue types = holding(1_000, 20);
        AtomicInteger attempts = new AtomicInteger();
        int found = heap.reading(0, AnswerHeap.OF_TYPES_BYTE, () -> {
            attempts.incrementAndGet();
            return types.definitionsNamed("big").size();
        });
        assertThat(found).isEqualTo(1);
        assertThat(attempts).hasValue(2);
    }

    @Test
    @ChecklistRow(2)
    void lookUpOfMoreTypesThanTheHeapHasRoomForIsRefused() {
        StoredCatalogue types = holding(10_000, 40);
        assertThatThrownBy(() -> heap.reading(
                        0, AnswerHeap.OF_TYPES_BYTE, () -> heap.computing(0, () -> types.definitionsNamed("big"))))
                .isInstanceOfSatisfying(ProblemException.class, e -> {
                    assertThat(e.problem().status()).isEqualTo(HttpStatus.UNPROCESSABLE_CONTENT);
                    assertThat(e.problem().detail())
                            .isEqualTo("the types of the query take more than 1747626 bytes with those that they hold"
                                    + " by value; expected at most as many");
                });
    }

    /** Returns a struct that holds others by value. */
    private static StoredCatalogue holding(int structs, int members) {
        AggregateShape big = Types.struct(
                "big",
                0,
                IntStream.range(0, structs)
                        .mapToObj(i -> Types.field("a" + i, 0, struct("s" + i, members)))
                        .toArray(Member[]::new));
        return StoredCatalogue.of(CatalogueWriter.encode(new TypeCatalogue(List.of(Types.define(big)), List.of())));
    }

    private static AggregateShape struct(String name, int members) {
        return Types.struct(
                name,
                0,
                IntStream.range(0, members)
                        .mapToObj(i -> Types.field("m" + i, 0, Types.INT))
                        .toArray(Member[]::new));
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
