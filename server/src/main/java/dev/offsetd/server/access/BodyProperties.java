package dev.offsetd.server.access;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of senders of request bodies.
 *
 * @param minRate bytes per second
 * @param grace longest silence, and how far a sender may be behind the rate
 */
@ConfigurationProperties("offsetd.bodies")
record BodyProperties(
        @DefaultValue("1000B") DataSize minRate,
        @DefaultValue("5s") Duration grace) {

    BodyProperties {
        if (minRate.toBytes() <= 0 || !grace.isPositive()) {
            throw new IllegalArgumentException("offsetd.bodies: min-rate " + minRate + ", grace "
                    + DurationText.of(grace) + "; expected more than 0");
        }
    }
}
