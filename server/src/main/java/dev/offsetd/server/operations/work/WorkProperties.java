package dev.offsetd.server.operations.work;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of shared work.
 *
 * @param poll time between looks for pieces that are due
 * @param heartbeat time between heartbeats for a piece; after four missed ones other servers take it over, at most six heartbeats
 *     later
 */
@ConfigurationProperties("offsetd.work")
record WorkProperties(
        @DefaultValue("2s") Duration poll,
        @DefaultValue("3s") Duration heartbeat) {

    WorkProperties {
        if (!poll.isPositive() || !heartbeat.isPositive()) {
            throw new IllegalArgumentException("offsetd.work: poll " + DurationText.of(poll) + ", heartbeat "
                    + DurationText.of(heartbeat) + "; expected more than 0 of both");
        }
    }
}
