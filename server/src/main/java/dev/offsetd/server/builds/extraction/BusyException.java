package dev.offsetd.server.builds.extraction;

import java.time.Duration;

/** The server cannot start or finish the work now. */
public final class BusyException extends RuntimeException {

    private final Duration retryAfter;

    public BusyException(Duration retryAfter) {
        super("too busy, or shutting down");
        this.retryAfter = retryAfter;
    }

    /** Returns the time after which to request it again. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
