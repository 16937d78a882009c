package dev.offsetd.extractor.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.CostGrowth.Bounds;
import dev.offsetd.extractor.testkit.CostGrowth.Input;
import dev.offsetd.extractor.testkit.CostGrowth.Inputs;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class CostGrowthTests {

    private static final Bounds BOUNDS = new Bounds(7, Duration.ofMillis(200), Duration.ofMinutes(2));

    /** Work that takes as much processor time per unit of size. */
    private static Inputs spinning(Duration each, List<Integer> sizes) {
        return spinning(size -> each.toNanos() * size, sizes);
    }

    /** @param nanos of processor time that the work takes, by size */
    private static Inputs spinning(IntToLongFunction nanos, List<Integer> sizes) {
        return size -> {
            sizes.add(size);
            return new Input(
                    size,
                    stages -> stages.measure("spin", () -> {
                        long end = processorTime() + nanos.applyAsLong(size);
                        while (processorTime() < end) {
                            // Asking for the time allocates.
                            for (int i = 0; i < 1000; i++) {
                                Thread.onSpinWait();
                            }
                        }
                        return "";
                    }));
        };
    }

    private static long processorTime() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    @Test
    void workWithoutAnEndFails() {
        Inputs endless = size -> new Input(size, _ -> {
            while (size > 0) {
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            }
        });
        Bounds impatient = new Bounds(7, Duration.ofMillis(200), Duration.ofSeconds(2));
        assertThatThrownBy(() -> CostGrowth.requireLinear("waiting", 7, endless, impatient))
                .isInstanceOf(AssertionError.class)
                .hasMessage("work on 7 bytes does not end within PT2S");
    }

    @Test
    void inputThatCostsTooMuchDoesNotGrow() throws IOException {
        List<Integer> sizes = new ArrayList<>();
        CostGrowth.requireLinear("spinning", 1, spinning(Duration.ofMillis(150), sizes), BOUNDS);
        // Measured again if the machine was busy.
        assertThat(sizes).containsOnly(1, 2);
    }

    @Test
    void inputThatCostsLittleGrowsFurther() throws IOException {
        List<Integer> sizes = new ArrayList<>();
        CostGrowth.requireLinear("spinning", 1, spinning(Duration.ofNanos(10), sizes), BOUNDS);
        assertThat(sizes).endsWith(8, 16, 32);
        sizes.clear();
        CostGrowth.requireLinear("spinning", 1, spinning(Duration.ofMillis(10), sizes), BOUNDS);
        assertThat(sizes).endsWith(4, 8);
    }

    @Test
    void workThatLooksQuadraticWhileItIsCheapIsLinear() throws IOException {
        List<Integer> sizes = new ArrayList<>();
        // 80 ms more from size 8 on, which look quadratic there and no longer at size 32.
        Inputs inputs = spinning(size -> TimeUnit.MILLISECONDS.toNanos(2L * size + (size < 8 ? 0 : 80)), sizes);
        CostGrowth.requireLinear("spinning", 1, inputs, BOUNDS);
        assertThat(sizes).contains(16);
    }

    @Test
    void quadraticWorkFails() {
        Inputs inputs = spinning(size -> TimeUnit.MILLISECONDS.toNanos(4L * size * size), new ArrayList<>());
        assertThatThrownBy(() -> CostGrowth.requireLinear("spinning", 1, inputs, BOUNDS))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("expected growth by a factor of at most");
    }

    @Test
    void firstInputThatCostsTooMuchIsNotJudgedByItself() {
        List<Integer> sizes = new ArrayList<>();
        assertThatThrownBy(
                        () -> CostGrowth.requireLinear("spinning", 1, spinning(Duration.ofMillis(300), sizes), BOUNDS))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("size 1 costs");
    }
}
