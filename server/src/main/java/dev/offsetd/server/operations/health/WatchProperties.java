package dev.offsetd.server.operations.health;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the watch over the threads that answer requests.
 *
 * @param unreadyAfter time without any request from which the server is not ready
 * @param endAfter time after which the process ends, to be restarted by its supervisor
 */
@ConfigurationProperties("offsetd.watch")
record WatchProperties(
        @DefaultValue("10s") Duration unreadyAfter,
        @DefaultValue("1m") Duration endAfter) {

    WatchProperties {
        if (!unreadyAfter.isPositive() || endAfter.compareTo(unreadyAfter) < 0) {
            throw new IllegalArgumentException(
                    "offsetd.watch has unready-after " + DurationText.of(unreadyAfter) + " and end-after "
                            + DurationText.of(endAfter) + "; expected more than zero, and the end not before");
        }
    }
}
