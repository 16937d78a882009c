package dev.offsetd.server.prewarms;

import java.time.Duration;

/**
 * Exponential backoff between attempts.
 *
 * @param first delay after the first failure
 */
record Backoff(Duration first) {

    private static final Duration LONGEST = Duration.ofHours(1);

    /** After this many doublings even a millisecond exceeds the longest delay. */
    private static final int MOST_DOUBLINGS = 22;

    /**
     * Returns the delay until the next attempt.
     *
     * @param attempts failed so far, at least 1
     * @param own least delay for this build, for example one stated by an upstream
     */
    Duration after(int attempts, Duration own) {
        Duration doubled = first.multipliedBy(1L << Math.min(attempts - 1, MOST_DOUBLINGS));
        Duration least = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
        return own.compareTo(least) > 0 ? own : least;
    }
}
