package dev.offsetd.server.prewarms;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of prewarming.
 *
 * @param maxConcurrent builds in parallel per server; at least one, and one less than the server's extractions, so that
 *     client requests always find a free one
 * @param perMinute builds that a server starts per minute; builds that are stored already do not count
 * @param maxAttempts attempts at a build with failures that may pass
 * @param backoff delay before the second attempt; doubles with each attempt
 * @param maxWaiting limit of builds without a result in all batches
 * @param keep retention of batches that have ended
 */
@ConfigurationProperties("offsetd.prewarms")
record PrewarmProperties(
        @DefaultValue("2") int maxConcurrent,
        @DefaultValue("60") int perMinute,
        @DefaultValue("10") int maxAttempts,
        @DefaultValue("2s") Duration backoff,
        @DefaultValue("10000") int maxWaiting,
        @DefaultValue("90d") Duration keep) {

    PrewarmProperties {
        requirePositive(maxConcurrent > 0, "max-concurrent", maxConcurrent);
        requirePositive(perMinute > 0, "per-minute", perMinute);
        requirePositive(maxAttempts > 0, "max-attempts", maxAttempts);
        requirePositive(backoff.isPositive(), "backoff", DurationText.of(backoff));
        requirePositive(maxWaiting > 0, "max-waiting", maxWaiting);
        requirePositive(keep.isPositive(), "keep", DurationText.of(keep));
    }

    private static void requirePositive(boolean positive, String name, Object value) {
        if (!positive) {
            throw new IllegalArgumentException("offsetd.prewarms." + name + " is " + value + "; expected more than 0");
        }
    }
}
