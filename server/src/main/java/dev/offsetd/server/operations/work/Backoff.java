package dev.offsetd.server.operations.work;

import java.time.Duration;

/**
 * Exponential backoff between attempts.
 *
 * @param first delay after the first failure
 * @param longest delay after many failures
 */
public record Backoff(Duration first, Duration longest) {

    /** After this many doublings even a millisecond exceeds the longest delay. */
    private static final int MOST_DOUBLINGS = 22;

    /**
     * Returns the delay until the next attempt.
     *
     * @param attempts failed so far, at least 1
     * @param own least delay of this work, for example one stated by an upstream
     */
    public Duration after(int attempts, Duration own) {
        Duration doubled = first.multipliedBy(1L << Math.min(attempts - 1, MOST_DOUBLINGS));
        Duration least = doubled.compareTo(longest) > 0 ? longest : doubled;
        return own.compareTo(least) > 0 ? own : least;
    }
}
