package dev.offsetd.server.operations.timers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class PeriodicTasksTests {

    private static final Duration PERIOD = Duration.ofMillis(1);

    private final BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
    private final PeriodicTasks tasks = new PeriodicTasks();
    private int count;

    @AfterEach
    void stop() {
        tasks.stop();
    }

    static Stream<Error> errors() {
        return Stream.of(new StackOverflowError("deep"), new NoClassDefFoundError("gone"), new AssertionError("wrong"));
    }

    private void run() {
        count++;
        runs.add(count);
    }

    @ParameterizedTest
    @MethodSource("errors")
    @ChecklistRow(35)
    void taskContinuesAfterAnErrorThatIsLoggedOnce(Error error, CapturedOutput output) throws Exception {
        tasks.add("counting " + error.getMessage(), PERIOD, () -> {
            run();
            if (count <= 5) {
                throw error;
            }
        });
        for (int i = 1; i <= 8; i++) {
            assertThat(runs.take()).isEqualTo(i);
        }
        assertThat(output.getAll())
                .containsOnlyOnce("counting " + error.getMessage() + " fails: " + error)
                .containsOnlyOnce("counting " + error.getMessage() + " no longer fails");
    }

    @Test
    @ChecklistRow(35)
    void failedRunIsRepeatedSooner() throws Exception {
        tasks.add("failing", PERIOD, Duration.ofHours(1), () -> {
            run();
            if (count == 3) {
                throw new IllegalStateException("away");
            }
        });
        assertThat(runs.take()).isEqualTo(1);
        assertThat(runs.take()).isEqualTo(2);
        assertThat(runs.take()).isEqualTo(3);
        assertThat(runs.poll(200, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    @ChecklistRow(35)
    void waitingTaskDelaysNoOtherTask() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        for (int i = 0; i < 10; i++) {
            tasks.addImmediate("waiting", PERIOD, () -> {
                waiting.countDown();
                try {
                    end.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        waiting.await();
        tasks.add("counting", PERIOD, this::run);
        assertThat(runs.take()).isEqualTo(1);
        assertThat(runs.take()).isEqualTo(2);
        end.countDown();
    }

    @Test
    @ChecklistRow(35)
    void stopWaitsForTheCurrentRunAndStartsNoOther() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        tasks.addImmediate("working", PERIOD, () -> {
            inside.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            run();
        });
        inside.await();
        Thread stop = Thread.ofPlatform().start(tasks::stop);
        while (stop.getState() != Thread.State.TIMED_WAITING) {
            Thread.sleep(1);
        }
        assertThat(runs).isEmpty();
        mayEnd.countDown();
        stop.join();
        assertThat(runs.poll()).isEqualTo(1);
        assertThat(runs.poll(50, TimeUnit.MILLISECONDS)).isNull();
    }
}
