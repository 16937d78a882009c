package dev.offsetd.server.pins;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How pins end.
 *
 * @param poll time between two looks for pins whose time is over; they have an effect that much longer
 */
@ConfigurationProperties("offsetd.pins")
record PinProperties(@DefaultValue("250ms") Duration poll) {

    PinProperties {
        if (!poll.isPositive()) {
            throw new IllegalArgumentException("offsetd.pins: poll " + poll + "; expected more than zero time");
        }
    }
}
