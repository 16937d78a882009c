package dev.offsetd.server.prewarms;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How much is prewarmed.
 *
 * @param maxWaiting builds without a result, of all batches; a batch that would make it more is refused
 * @param keep how long batches that have ended are kept
 */
@ConfigurationProperties("offsetd.prewarms")
record PrewarmProperties(
        @DefaultValue("10000") int maxWaiting,
        @DefaultValue("90d") Duration keep) {

    PrewarmProperties {
        if (maxWaiting < 0 || !keep.isPositive()) {
            throw new IllegalArgumentException("offsetd.prewarms: max-waiting " + maxWaiting + ", keep " + keep
                    + "; expected no less than 0, and more than zero time");
        }
    }
}
