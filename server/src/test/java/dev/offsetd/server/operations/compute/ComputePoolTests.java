package dev.offsetd.server.operations.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Work that computes has a bounded number of threads, a deadline and a caller that waits for it. */
@Timeout(60)
class ComputePoolTests {

    private static final Duration LONG = Duration.ofMinutes(10);

    private final PeriodicTasks tasks = new PeriodicTasks();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final ComputePool pool = new ComputePool("test", 1, Duration.ofMillis(100), tasks, meters);

    @AfterEach
    void stop() {
        tasks.stop();
    }

    private static <T> FutureTask<T> onVirtualThread(java.util.concurrent.Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread.ofVirtual().start(task);
        return task;
    }

    @Test
    void partOfARequestRunsOnAPlatformThread() throws Exception {
        assertThat(onVirtualThread(
                                () -> pool.answer(() -> Thread.currentThread().isVirtual()))
                        .get())
                .isFalse();
    }

    @Test
    @ChecklistRow(39)
    void workThatTurnsOutToBeLongLeavesTheThreadOfRequests() throws Exception {
        assertThat(onVirtualThread(() -> pool.answerAtOnce(() -> virtualAfter(10)))
                        .get())
                .isTrue();
        assertThat(onVirtualThread(() -> pool.answerAtOnce(() -> virtualAfter(100_000)))
                        .get())
                .isFalse();
    }

    private static boolean virtualAfter(int checks) {
        for (int i = 0; i < checks; i++) {
            Deadline.checkCurrent();
        }
        return Thread.currentThread().isVirtual();
    }

    @Test
    void workDoesItsPartsItself() throws Exception {
        assertThat(onVirtualThread(() -> pool.answer(() -> pool.answer(() -> "done")))
                        .get())
                .isEqualTo("done");
    }

    @Test
    void exceptionOfAPartIsThatOfItsCaller() {
        FutureTask<String> failing = onVirtualThread(() -> pool.answer(() -> {
            throw new ArithmeticException("part");
        }));
        assertThatThrownBy(failing::get).hasCauseInstanceOf(ArithmeticException.class);
    }

    @Test
    @ChecklistRow(36)
    void workSeesItsDeadlineFromItsStart() {
        // A pool that never gives work up, however long the machine delays it.
        ComputePool patient = new ComputePool("patient", 1, LONG, tasks, meters);
        Computation<String> late = patient.submit(
                () -> {
                    while (true) {
                        Deadline.checkCurrent();
                    }
                },
                Duration.ofMillis(1));
        assertThatThrownBy(late::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(DeadlineExceededException.class);
    }

    @Test
    @ChecklistRow(36)
    void partOfAPeriodicTaskHasADeadlineUnlessTheTaskHasOne() {
        assertThat(pool.answer(ComputePoolTests::timeLeft)).isLessThan(Duration.ofMinutes(1));
        assertThat(pool.answerAtOnce(ComputePoolTests::timeLeft)).isLessThan(Duration.ofMinutes(1));
        assertThat(new Deadline(LONG).<Duration, RuntimeException>during(() -> pool.answer(ComputePoolTests::timeLeft)))
                .isGreaterThan(Duration.ofMinutes(1));
    }

    private static Duration timeLeft() {
        return Deadline.currentOr(Limits.DEFAULT).left();
    }

    @Test
    @ChecklistRow(36)
    void threadOfWorkThatIgnoresItsDeadlineIsReplacedUntilTheWorkEnds() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Computation<String> deaf = pool.submit(
                () -> {
                    while (!stop.get()) {
                        Thread.onSpinWait();
                    }
                    return "never";
                },
                Duration.ofMillis(1));

        assertThat(pool.submit(() -> "next", LONG).get(30, TimeUnit.SECONDS)).isEqualTo("next");

        assertThatThrownBy(deaf::get).isInstanceOf(CancellationException.class);
        assertThat(meters.get("offsetd.compute.stuck").gauge().value()).isEqualTo(1);
        stop.set(true);
        while (meters.get("offsetd.compute.stuck").gauge().value() > 0) {
            Thread.sleep(10);
        }
    }

    @Test
    @ChecklistRow(36)
    void threadsOfVeryMuchWorkThatIgnoresItsDeadlineAreNotReplaced() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        for (int i = 0; i < 6; i++) {
            var _ = pool.submit(
                    () -> {
                        while (!stop.get()) {
                            // A thread that is interrupted does not park.
                            var _ = Thread.interrupted();
                            LockSupport.parkNanos(1_000_000);
                        }
                        return "never";
                    },
                    Duration.ofMillis(1));
        }
        while (stuck("test") < 4) {
            Thread.sleep(10);
        }
        // Time for two more checks, each of which would replace a thread.
        Thread.sleep(2_500);
        assertThat(stuck("test")).isEqualTo(4);
        assertThat(meters.get("offsetd.compute.busy").gauge().value()).isEqualTo(4);
        stop.set(true);
        assertThat(pool.submit(() -> "next", LONG).get(30, TimeUnit.SECONDS)).isEqualTo("next");
    }

    @Test
    @ChecklistRow(36)
    void threadOfAPartThatIgnoresTheDeadlineOfTheWorkIsReplacedToo() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        CountDownLatch begun = new CountDownLatch(1);
        ComputePool two = new ComputePool("two", 2, Duration.ofMillis(100), tasks, meters);
        Computation<String> work = two.submit(
                () -> {
                    Computation<String> part = two.part(() -> {
                        begun.countDown();
                        while (!stop.get()) {
                            Thread.onSpinWait();
                        }
                        return "never";
                    });
                    two.startBeside(part);
                    // On a busy machine the work may be cancelled before its part begins.
                    awaitUninterruptibly(begun);
                    // No-op, because another thread has begun.
                    part.run();
                    return part.get();
                },
                Duration.ofMillis(1));
        begun.await();

        assertThatThrownBy(work::get).isInstanceOf(CancellationException.class);
        CyclicBarrier both = new CyclicBarrier(2);
        Computation<Integer> first = two.submit(both::await, LONG);
        Computation<Integer> second = two.submit(both::await, LONG);
        assertThat(first.get(30, TimeUnit.SECONDS) + second.get(30, TimeUnit.SECONDS))
                .isEqualTo(1);
        // The part alone, once the work has noticed.
        while (stuck("two") != 1) {
            Thread.sleep(10);
        }
        stop.set(true);
        while (stuck("two") > 0) {
            Thread.sleep(10);
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        boolean interrupted = false;
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void workWhosePartIsCancelledIsCancelledToo() {
        Computation<String> work = pool.submit(
                () -> {
                    Computation<String> part = pool.part(() -> "never");
                    part.cancel(true);
                    return part.get();
                },
                LONG);
        assertThatThrownBy(work::get).isInstanceOf(CancellationException.class);
    }

    private double stuck(String kind) {
        return meters.get("offsetd.compute.stuck").tag("kind", kind).gauge().value();
    }

    @Test
    @ChecklistRow(36)
    void threadOfWorkThatRunsItsPartIsReplacedOnce() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Computation<String> work = pool.submit(
                () -> {
                    Computation<String> part = pool.part(() -> {
                        while (!stop.get()) {
                            Thread.onSpinWait();
                        }
                        return "never";
                    });
                    part.run();
                    return part.get();
                },
                Duration.ofMillis(1));

        assertThatThrownBy(work::get).isInstanceOf(CancellationException.class);
        assertThat(pool.submit(() -> "next", LONG).get(30, TimeUnit.SECONDS)).isEqualTo("next");
        assertThat(stuck("test")).isEqualTo(1);
        stop.set(true);
    }

    @Test
    @ChecklistRow(36)
    void unwantedWorkIsCancelled() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        Computation<String> unwanted = pool.submit(
                () -> {
                    started.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                    }
                    return "";
                },
                LONG);
        started.await();
        unwanted.keepFor(Duration.ofMillis(1));
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(unwanted.isCancelled()).isTrue();
    }

    @Test
    void workWhoseCallerIsInterruptedIsCancelled() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread caller = Thread.ofVirtual()
                .start(() -> assertThatThrownBy(() -> pool.answer(() -> {
                            started.countDown();
                            try {
                                new CountDownLatch(1).await();
                            } catch (InterruptedException e) {
                                interrupted.complete(true);
                            }
                            return "";
                        }))
                        .isInstanceOf(ProblemException.class));
        started.await();
        caller.interrupt();
        assertThat(interrupted.get(30, TimeUnit.SECONDS)).isTrue();
    }
}
