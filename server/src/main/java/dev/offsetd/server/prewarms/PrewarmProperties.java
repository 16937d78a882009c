package dev.offsetd.server.prewarms;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How much is prewarmed, and how fast.
 *
 * @param maxConcurrent builds at a time and server; in any case one less than the server gets at a time, all
 *     from one upstream if it must be, so that there always is room for what hosts ask for; and one at least
 * @param perMinute builds that a server begins to get in a minute; those that are stored already do not count
 * @param maxAttempts attempts at a build whose failures may pass
 * @param backoff least time until the second attempt; it doubles with each
 * @param poll how often a server looks for work that another one has left or was given
 * @param heartbeat time between signs of life of a server for what it has in hand; after four without, others
 *     take it over; they look at every second heartbeat, so six of them pass at most
 * @param maxWaiting builds without a result, of all batches; a batch that would make it more is refused
 * @param keep how long batches that have ended are kept
 */
@ConfigurationProperties("offsetd.prewarms")
record PrewarmProperties(
        @DefaultValue("2") int maxConcurrent,
        @DefaultValue("60") int perMinute,
        @DefaultValue("10") int maxAttempts,
        @DefaultValue("2s") Duration backoff,
        @DefaultValue("2s") Duration poll,
        @DefaultValue("3s") Duration heartbeat,
        @DefaultValue("10000") int maxWaiting,
        @DefaultValue("90d") Duration keep) {

    PrewarmProperties {
        requirePositive(maxConcurrent > 0, "max-concurrent", maxConcurrent);
        requirePositive(perMinute > 0, "per-minute", perMinute);
        requirePositive(maxAttempts > 0, "max-attempts", maxAttempts);
        requirePositive(backoff.isPositive(), "backoff", backoff);
        requirePositive(poll.isPositive(), "poll", poll);
        requirePositive(heartbeat.isPositive(), "heartbeat", heartbeat);
        requirePositive(maxWaiting > 0, "max-waiting", maxWaiting);
        requirePositive(keep.isPositive(), "keep", keep);
    }

    private static void requirePositive(boolean positive, String name, Object value) {
        if (!positive) {
            throw new IllegalArgumentException("offsetd.prewarms." + name + " is " + value + "; expected more than 0");
        }
    }
}
