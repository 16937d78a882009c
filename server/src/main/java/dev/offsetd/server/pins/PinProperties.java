package dev.offsetd.server.pins;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the expiry of pins.
 *
 * @param poll the time between polls for expired pins, which stay active that much longer
 */
@ConfigurationProperties("offsetd.pins")
record PinProperties(@DefaultValue("250ms") Duration poll) {

    PinProperties {
        if (!poll.isPositive()) {
            throw new IllegalArgumentException(
                    "offsetd.pins: poll " + DurationText.of(poll) + "; expected more than zero time");
        }
    }
}
