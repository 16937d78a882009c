package dev.offsetd.server.prewarms;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Limits how many builds this server starts per minute, spread over the minute. */
final class StartRate {

    private final Bucket bucket;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** @param atOnce builds that may start together after a pause */
    StartRate(int perMinute, int atOnce) {
        bucket = Bucket.builder()
                .addLimit(limit ->
                        limit.capacity(Math.min(perMinute, atOnce)).refillGreedy(perMinute, Duration.ofMinutes(1)))
                .build();
    }

    /** Waits until another build may start; returns false if the server shuts down. */
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

    /** Ends all current and future waits. */
    void stop() {
        stopped.countDown();
    }
}
