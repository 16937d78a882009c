package dev.offsetd.server.prewarms;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds this server to so many builds a minute, one after the other rather than all at its beginning. */
final class Pace {

    private final Bucket bucket;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /**
     * @param perMinute builds
     * @param atOnce builds that may begin together after a pause
     */
    Pace(int perMinute, int atOnce) {
        bucket = Bucket.builder()
                .addLimit(limit ->
                        limit.capacity(Math.min(perMinute, atOnce)).refillGreedy(perMinute, Duration.ofMinutes(1)))
                .build();
    }

    /**
     * Waits until one more may begin.
     *
     * @return false if the server stops instead
     */
    boolean await() throws InterruptedException {
        while (stopped.getCount() > 0) {
            ConsumptionProbe turn = bucket.tryConsumeAndReturnRemaining(1);
            if (turn.isConsumed()) {
                return true;
            }
            if (stopped.await(turn.getNanosToWaitForRefill(), TimeUnit.NANOSECONDS)) {
                return false;
            }
        }
        return false;
    }

    /** Ends all waits, for good. */
    void stop() {
        stopped.countDown();
    }
}
