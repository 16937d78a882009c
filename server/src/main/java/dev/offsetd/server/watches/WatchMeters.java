package dev.offsetd.server.watches;

import dev.offsetd.server.operations.timers.PeriodicTasks;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/** Metrics of watches. */
@Component
class WatchMeters {

    /** Time between counts of failing watches. */
    private static final Duration COUNT = Duration.ofSeconds(30);

    private final MeterRegistry registry;
    private final Counter builds;
    private final Counter bytes;
    private final AtomicLong failing = new AtomicLong();

    WatchMeters(MeterRegistry registry, WatchTable table, PeriodicTasks tasks) {
        this.registry = registry;
        for (Watch.Outcome outcome : Watch.Outcome.values()) {
            var _ = runs(outcome);
        }
        this.builds = Counter.builder("offsetd.watches.builds")
                .description("Builds that watches have found and to which a type set applies")
                .register(registry);
        this.bytes = Counter.builder("offsetd.watches.downloaded")
                .description("Downloads of watches")
                .baseUnit("bytes")
                .register(registry);
        Gauge.builder("offsetd.watches.failing", failing, AtomicLong::doubleValue)
                .description("Watches whose last run has failed, at the last count")
                .register(registry);
        tasks.addImmediate("counting watches that fail", COUNT, () -> failing.set(table.failing()));
    }

    private Counter runs(Watch.Outcome outcome) {
        return Counter.builder("offsetd.watches.runs")
                .description("Runs of watches that have ended")
                .tag("outcome", outcome.word())
                .register(registry);
    }

    void ended(Watch.Outcome outcome) {
        runs(outcome).increment();
    }

    void found(int count) {
        builds.increment(count);
    }

    void downloaded(long count) {
        bytes.increment((double) count);
    }
}
