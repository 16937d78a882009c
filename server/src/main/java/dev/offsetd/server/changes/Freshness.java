package dev.offsetd.server.changes;

import java.time.Duration;
import org.springframework.stereotype.Component;

/** Whether this server knows of the changes that others make. */
@Component
public class Freshness {

    /** A server that was itself stopped for a while has missed looks without one having failed. */
    private static final long LONGEST_BETWEEN_LOOKS = 20;

    private final long validNanos;
    private volatile boolean seeing;
    private volatile long lastLook;

    Freshness(ChangeProperties properties) {
        this.validNanos = properties.poll().plus(Duration.ofMillis(1)).toNanos() * LONGEST_BETWEEN_LOOKS;
    }

    /** Whether changes may have been missed: what is kept from before may be out of date. */
    public boolean blind() {
        return !seeing || System.nanoTime() - lastLook > validNanos;
    }

    /** All changes are known that had been made at this time. */
    void lookedAt(long nanoTime) {
        lastLook = nanoTime;
        seeing = true;
    }

    void cannotLook() {
        seeing = false;
    }
}
