package dev.offsetd.server.operations.changes;

import java.time.Duration;
import org.springframework.stereotype.Component;

/** Tracks whether this server has seen the latest changes of the other servers. */
@Component
public class Freshness {

    /** Poll intervals without a poll after which answers count as stale: a suspended server misses polls without a failure. */
    private static final long MAX_MISSED_POLLS = 20;

    private final long validNanos;
    private volatile boolean polled;
    private volatile long lastPoll;

    Freshness(ChangeProperties properties) {
        this.validNanos = properties.poll().plus(Duration.ofMillis(1)).toNanos() * MAX_MISSED_POLLS;
    }

    /** Returns whether changes may have been missed, so that cached answers may be out of date. */
    public boolean mayBeStale() {
        return !polled || System.nanoTime() - lastPoll > validNanos;
    }

    /** Reports that all changes committed before this time are known. */
    void polledAt(long nanoTime) {
        lastPoll = nanoTime;
        polled = true;
    }

    void pollFailed() {
        polled = false;
    }
}
