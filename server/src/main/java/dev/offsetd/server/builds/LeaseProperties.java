package dev.offsetd.server.builds;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long a server may be silent before others take its work over. The defaults replace a dead server within 16 s, and let a
 * live one keep its work over a pause of 11 s, of its own or of the database.
 *
 * @param duration how long a lease holds without a sign of life
 * @param heartbeat time between signs of life; a third of the duration or less, so that two may be missed
 * @param poll how often a server looks whether builds that others work on are done
 */
@ConfigurationProperties("offsetd.lease")
record LeaseProperties(
        @DefaultValue("15s") Duration duration,
        @DefaultValue("4s") Duration heartbeat,
        @DefaultValue("250ms") Duration poll) {

    LeaseProperties {
        if (!heartbeat.isPositive() || !poll.isPositive() || duration.compareTo(heartbeat.multipliedBy(3)) < 0) {
            throw new IllegalArgumentException("offsetd.lease: duration " + duration + ", heartbeat " + heartbeat
                    + ", poll " + poll + "; expected more than zero, and a duration of at least three heartbeats");
        }
    }
}
