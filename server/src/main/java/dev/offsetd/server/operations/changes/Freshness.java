package dev.offsetd.server.operations.changes;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Tracks whether this server has seen the latest changes of the other servers. */
@Component
public class Freshness implements MeterBinder {

    /** Poll intervals without a poll after which answers count as stale: a suspended server misses polls without a failure. */
    private static final long MAX_MISSED_POLLS = 20;

    private final long validNanos;
    private volatile boolean polled;
    private volatile long lastPoll;

    // The fields below are guarded by this.
    /** The number at the last poll. */
    private long seen;

    private boolean stopping;

    Freshness(ChangeProperties properties) {
        this.validNanos = properties.poll().plus(Duration.ofMillis(1)).toNanos() * MAX_MISSED_POLLS;
    }

    /** Lets operators see what clients see as stale answers. */
    @Override
    public void bindTo(MeterRegistry meters) {
        Gauge.builder("offsetd.changes.seen", this, known -> known.mayBeStale() ? 0 : 1)
                .description("1 while changes of other servers are seen, 0 while cached answers are marked as stale")
                .register(meters);
    }

    /** Returns whether changes may have been missed, so that cached answers may be out of date. */
    public boolean mayBeStale() {
        return !polled || System.nanoTime() - lastPoll > validNanos;
    }

    /** Reports that all changes committed before this time are known, the last of which has this number. */
    synchronized void polledAt(long nanoTime, long number) {
        lastPoll = nanoTime;
        polled = true;
        seen = number;
        notifyAll();
    }

    /**
     * Waits until there are changes after one of this number, for callers that need no connection meanwhile. Changes become known
     * within the interval of the polls.
     *
     * @param nanos longest time to wait
     * @return whether there are any; false when the server stops
     */
    public synchronized boolean awaitAfter(long number, long nanos) throws InterruptedException {
        long end = System.nanoTime() + nanos;
        long remaining = nanos;
        while (seen <= number && remaining > 0 && !stopping) {
            TimeUnit.NANOSECONDS.timedWait(this, remaining);
            remaining = end - System.nanoTime();
        }
        return seen > number && remaining > 0 && !stopping;
    }

    /** Ends all waits: a request that waits must not delay the end of the server. */
    @EventListener
    synchronized void drain(AvailabilityChangeEvent<ReadinessState> event) {
        stopping = event.getState() == ReadinessState.REFUSING_TRAFFIC;
        notifyAll();
    }

    void pollFailed() {
        polled = false;
    }
}
