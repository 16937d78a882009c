package dev.offsetd.server.prewarms;

import dev.offsetd.server.operations.timers.PeriodicTasks;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** Metrics of prewarming. */
@Component
class PrewarmMeters {

    /** Time between counts of waiting items. */
    private static final Duration COUNT = Duration.ofSeconds(30);

    private final Counter done;
    private final Counter failed;
    private final Counter again;
    private final AtomicInteger working = new AtomicInteger();
    private final AtomicLong waiting = new AtomicLong();

    PrewarmMeters(MeterRegistry registry, PrewarmTable table, PeriodicTasks tasks) {
        this.done = ended("done", registry);
        this.failed = ended("failed", registry);
        this.again = ended("again", registry);
        Gauge.builder("offsetd.prewarms.working", working, AtomicInteger::doubleValue)
                .description("Prewarm items that this server works on")
                .register(registry);
        Gauge.builder("offsetd.prewarms.waiting", waiting, AtomicLong::doubleValue)
                .description("Items of prewarms without a result, at the last count")
                .register(registry);
        tasks.addImmediate("counting items of prewarms", COUNT, () -> waiting.set(table.waiting()));
    }

    private static Counter ended(String outcome, MeterRegistry registry) {
        return Counter.builder("offsetd.prewarms.items")
                .description("Attempts at items of prewarms that have ended")
                .tag("outcome", outcome)
                .register(registry);
    }

    void started() {
        working.incrementAndGet();
    }

    void stopped() {
        working.decrementAndGet();
    }

    void ended(AttemptOutcome outcome) {
        switch (outcome) {
            case AttemptOutcome.Stored _ -> done.increment();
            case AttemptOutcome.Definite _ -> failed.increment();
            case AttemptOutcome.Passing _ -> again.increment();
        }
    }
}
