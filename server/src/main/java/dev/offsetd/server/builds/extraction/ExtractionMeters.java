package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.sources.outcome.BuildState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntSupplier;
import org.springframework.stereotype.Component;

/**
 * Metrics of extractions. Timers of all outcomes are registered at zero: a rate over a series that starts at 1 misses its first
 * event.
 */
@Component
class ExtractionMeters {

    private static final String CUT_OFF = "cut_off";

    private final MeterRegistry registry;
    private final Counter coalesced;
    private final AtomicInteger atWork = new AtomicInteger();

    ExtractionMeters(MeterRegistry registry) {
        this.registry = registry;
        this.coalesced = Counter.builder("offsetd.extraction.coalesced")
                .description("Callers that shared an extraction in progress")
                .register(registry);
        for (BuildState state : BuildState.values()) {
            if (state != BuildState.WANTED) {
                var _ = timer(state.word());
                var _ = frames(state.word());
            }
        }
        var _ = timer(CUT_OFF);
        var _ = frames(CUT_OFF);
    }

    /** @param requested counts the builds that wait or are in progress */
    void countWaitingOf(IntSupplier requested) {
        Gauge.builder("offsetd.extraction.waiting", () -> Math.max(0, requested.getAsInt() - atWork.get()))
                .description("Builds that wait for their turn, or for another server")
                .register(registry);
    }

    private Timer timer(String outcome) {
        return Timer.builder("offsetd.extraction")
                .description("Time from the lease to the stored result")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Timer frames(String outcome) {
        return Timer.builder("offsetd.symbolize.reads")
                .description("Time from the lease to the stored functions and lines")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Counts a caller that shares an extraction in progress. */
    void coalesced() {
        coalesced.increment();
    }

    /** Begins an attempt at a build. Unless it ends with a result, it was cut off: the lease was lost or the server failed. */
    Metered begin() {
        atWork.incrementAndGet();
        return new Metered(this::timer, atWork::decrementAndGet);
    }

    /** Begins a read of the functions and lines of a build. Unless it ends with a result, it was cut off. */
    Metered beginFrames() {
        return new Metered(this::frames, () -> {});
    }

    /** Work on a build that is timed. */
    final class Metered implements AutoCloseable {

        private final Timer.Sample sample = Timer.start(registry);
        private final Function<String, Timer> timers;
        private final Runnable end;
        private String outcome = CUT_OFF;

        private Metered(Function<String, Timer> timers, Runnable end) {
            this.timers = timers;
            this.end = end;
        }

        /** Reports the state in which the result leaves the build, or its functions and lines. */
        void ended(BuildState state) {
            outcome = state.word();
        }

        @Override
        public void close() {
            end.run();
            sample.stop(timers.apply(outcome));
        }
    }
}
