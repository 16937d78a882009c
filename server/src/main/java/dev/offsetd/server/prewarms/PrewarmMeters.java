package dev.offsetd.server.prewarms;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/** What can be seen of prewarms from outside. */
@Component
class PrewarmMeters implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(PrewarmMeters.class);

    /** Time between counts of what waits. */
    private static final Duration COUNT = Duration.ofSeconds(30);

    private final PrewarmTable table;
    private final Counter done;
    private final Counter failed;
    private final Counter again;
    private final AtomicInteger working = new AtomicInteger();
    private final AtomicLong waiting = new AtomicLong();
    private final ScheduledExecutorService timer;
    private final Future<?> counts;

    PrewarmMeters(MeterRegistry registry, PrewarmTable table) {
        this.table = table;
        this.done = ended("done", registry);
        this.failed = ended("failed", registry);
        this.again = ended("again", registry);
        Gauge.builder("offsetd.prewarms.working", working, AtomicInteger::doubleValue)
                .description("Items of prewarms that this server has in hand")
                .register(registry);
        Gauge.builder("offsetd.prewarms.waiting", waiting, AtomicLong::doubleValue)
                .description("Items of prewarms without a result, at the last count")
                .register(registry);
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("prewarms-count").factory());
        counts = timer.scheduleWithFixedDelay(this::count, 0, COUNT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Counter ended(String outcome, MeterRegistry registry) {
        return Counter.builder("offsetd.prewarms.items")
                .description("Attempts at items of prewarms that have ended")
                .tag("outcome", outcome)
                .register(registry);
    }

    private void count() {
        try {
            waiting.set(table.waiting());
        } catch (RuntimeException e) {
            log.warn("items of prewarms cannot be counted: {}", e.toString());
        }
    }

    void took() {
        working.incrementAndGet();
    }

    void leftOff() {
        working.decrementAndGet();
    }

    /** Counts an attempt. */
    void ended(Outcome outcome) {
        switch (outcome) {
            case Outcome.Stored _ -> done.increment();
            case Outcome.Definite _ -> failed.increment();
            case Outcome.Passing _ -> again.increment();
        }
    }

    @Override
    public void destroy() {
        counts.cancel(true);
        timer.shutdownNow();
    }
}
