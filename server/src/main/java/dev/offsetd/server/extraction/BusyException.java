package dev.offsetd.server.extraction;

import java.time.Duration;

/** The server cannot do, or finish, the work now. */
public final class BusyException extends RuntimeException {

    private final Duration retryAfter;

    public BusyException(Duration retryAfter) {
        super("too busy, or shutting down");
        this.retryAfter = retryAfter;
    }

    /** When to ask again. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
