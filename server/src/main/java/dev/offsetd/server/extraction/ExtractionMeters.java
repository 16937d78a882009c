package dev.offsetd.server.extraction;

import dev.offsetd.server.outcome.BuildState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.function.Supplier;

/**
 * What can be seen of extractions from outside. All outcomes are there from the start, at zero: of a series that begins with 1
 * nobody sees that it has risen.
 */
final class ExtractionMeters {

    private static final String CUT_OFF = "cut_off";

    private final MeterRegistry registry;
    private final Counter coalesced;

    /** @param waiting builds that somebody asked for and that are not worked on here */
    ExtractionMeters(MeterRegistry registry, Supplier<Number> waiting) {
        this.registry = registry;
        this.coalesced = Counter.builder("offsetd.extraction.coalesced")
                .description("Callers that shared work which was under way already")
                .register(registry);
        Gauge.builder("offsetd.extraction.waiting", waiting)
                .description("Builds that wait for their turn, or for another server")
                .register(registry);
        for (BuildState state : BuildState.values()) {
            if (state != BuildState.WANTED) {
                var _ = timer(state.word());
            }
        }
        var _ = timer(CUT_OFF);
    }

    private Timer timer(String outcome) {
        return Timer.builder("offsetd.extraction")
                .description("Time from the lease to the stored result")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Counts a caller that shares what is under way. */
    void coalesced() {
        coalesced.increment();
    }

    Attempt begin() {
        return new Attempt(Timer.start(registry));
    }

    /** One attempt at a build. Unless it says how it ended, it was cut off: the lease is lost, or the server failed. */
    final class Attempt implements AutoCloseable {

        private final Timer.Sample sample;
        private String outcome = CUT_OFF;

        private Attempt(Timer.Sample sample) {
            this.sample = sample;
        }

        void ended(RoundResult result) {
            outcome = switch (result) {
                case RoundResult.Extracted _ -> BuildState.EXTRACTED.word();
                case RoundResult.Without without -> without.state().word();
            };
        }

        @Override
        public void close() {
            sample.stop(timer(outcome));
        }
    }
}
