package dev.offsetd.server.prewarms;

import java.time.Duration;

/**
 * Time between attempts that fail for reasons that may pass.
 *
 * @param first least time after the first
 */
record Backoff(Duration first) {

    private static final Duration LONGEST = Duration.ofHours(1);

    /** Doubled so often, even a millisecond is longer than the longest time. */
    private static final int MOST_DOUBLINGS = 22;

    /**
     * Time until the next attempt.
     *
     * @param attempts that have failed, 1 or more
     * @param own time that the build itself asks for, such as an upstream has said
     */
    Duration after(int attempts, Duration own) {
        Duration doubled = first.multipliedBy(1L << Math.min(attempts - 1, MOST_DOUBLINGS));
        Duration least = doubled.compareTo(LONGEST) > 0 ? LONGEST : doubled;
        return own.compareTo(least) > 0 ? own : least;
    }
}
