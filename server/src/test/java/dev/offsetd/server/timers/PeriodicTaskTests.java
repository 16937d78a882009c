package dev.offsetd.server.timers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class PeriodicTaskTests {

    private static final Duration PERIOD = Duration.ofMillis(1);

    private final BlockingQueue<Integer> runs = new LinkedBlockingQueue<>();
    private int count;

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
    void taskGoesOnAfterAnErrorAndSaysSoOnce(Error error, CapturedOutput output) throws Exception {
        PeriodicTask task = PeriodicTask.start("test", "counting " + error.getMessage(), PERIOD, () -> {
            run();
            if (count <= 5) {
                throw error;
            }
        });
        for (int i = 1; i <= 8; i++) {
            assertThat(runs.take()).isEqualTo(i);
        }
        task.close();
        assertThat(output.getAll())
                .containsOnlyOnce("counting " + error.getMessage() + " fails: " + error)
                .containsOnlyOnce("counting " + error.getMessage() + " no longer fails");
    }

    @Test
    @ChecklistRow(35)
    void failureIsFollowedByTheNextRunSooner() throws Exception {
        PeriodicTask task = PeriodicTask.start("test", "failing", PERIOD, Duration.ofHours(1), () -> {
            run();
            if (count == 3) {
                throw new IllegalStateException("away");
            }
        });
        assertThat(runs.take()).isEqualTo(1);
        assertThat(runs.take()).isEqualTo(2);
        assertThat(runs.take()).isEqualTo(3);
        assertThat(runs.poll(200, TimeUnit.MILLISECONDS)).isNull();
        task.close();
    }

    @Test
    @ChecklistRow(35)
    void runThatIsUnderWayIsInterruptedOrWaitedFor() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        PeriodicTask interrupted = PeriodicTask.startAtOnce("test", "waiting", PERIOD, () -> {
            inside.countDown();
            try {
                Thread.sleep(Duration.ofHours(1));
            } catch (InterruptedException e) {
                run();
                Thread.currentThread().interrupt();
            }
        });
        inside.await();
        interrupted.close();
        assertThat(runs.take()).isEqualTo(1);

        CountDownLatch insideToo = new CountDownLatch(1);
        PeriodicTask finished = PeriodicTask.startAtOnce("test", "working", PERIOD, () -> {
            insideToo.countDown();
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            run();
        });
        insideToo.await();
        finished.finish();
        assertThat(runs.poll()).isEqualTo(2);
        assertThat(runs.poll(50, TimeUnit.MILLISECONDS)).isNull();
    }
}
