package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.sources.outcome.BuildState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
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
            }
        }
        var _ = timer(CUT_OFF);
        Stream.of(BuildState.EXTRACTED, BuildState.NOT_FOUND, BuildState.UNUSABLE, BuildState.FAILED)
                .forEach(state -> {
                    var _ = frames(state.word());
                });
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

    /** Begins a read of functions and lines. Unless it ends with a result, it was cut off. */
    MeteredFrames beginFrames() {
        return new MeteredFrames(Timer.start(registry));
    }

    /** A read of the functions and lines of a build. */
    final class MeteredFrames implements AutoCloseable {

        private final Timer.Sample sample;
        private String outcome = CUT_OFF;

        private MeteredFrames(Timer.Sample sample) {
            this.sample = sample;
        }

        void ended(FrameFiles.Result result) {
            outcome = switch (result) {
                case FrameFiles.Result.Read _ -> BuildState.EXTRACTED.word();
                case FrameFiles.Result.Without without ->
                    without.failure().cause().state().word();
            };
        }

        @Override
        public void close() {
            sample.stop(frames(outcome));
        }
    }

    MeteredAttempt begin() {
        atWork.incrementAndGet();
        return new MeteredAttempt(Timer.start(registry));
    }

    /** One attempt at a build. Unless it ends with a result, it was cut off: the lease was lost or the server failed. */
    final class MeteredAttempt implements AutoCloseable {

        private final Timer.Sample sample;
        private String outcome = CUT_OFF;

        private MeteredAttempt(Timer.Sample sample) {
            this.sample = sample;
        }

        void ended(AttemptResult result) {
            outcome = switch (result) {
                case AttemptResult.Extracted _ -> BuildState.EXTRACTED.word();
                case AttemptResult.SymbolsAgain _ -> BuildState.EXTRACTED.word();
                case AttemptResult.Without without -> without.state().word();
            };
        }

        @Override
        public void close() {
            atWork.decrementAndGet();
            sample.stop(timer(outcome));
        }
    }
}
