package dev.offsetd.server.builds.lease;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Timing of leases. With the defaults, a dead server is replaced within 16 s, and a live one keeps its leases over a pause of
 * 11 s of the server or the database.
 *
 * @param duration time after which a lease without heartbeat expires
 * @param heartbeat interval of renewals; at most a third of the duration, so that two may be missed
 * @param poll interval at which a server checks whether builds that other servers work on are finished
 */
@ConfigurationProperties("offsetd.lease")
record LeaseProperties(
        @DefaultValue("15s") Duration duration,
        @DefaultValue("4s") Duration heartbeat,
        @DefaultValue("250ms") Duration poll) {

    LeaseProperties {
        if (!heartbeat.isPositive() || !poll.isPositive() || duration.compareTo(heartbeat.multipliedBy(3)) < 0) {
            throw new IllegalArgumentException("offsetd.lease: duration " + DurationText.of(duration) + ", heartbeat "
                    + DurationText.of(heartbeat) + ", poll " + DurationText.of(poll)
                    + "; expected more than zero, and a duration of at least three heartbeats");
        }
    }
}
