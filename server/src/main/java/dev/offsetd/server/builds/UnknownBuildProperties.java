package dev.offsetd.server.builds;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Retention of builds of which nothing is stored.
 *
 * @param maxUnknown limit of their number; before it is reached, the tenth with the oldest attempts is deleted
 * @param sweep interval of the sweeps; a server that adds many builds sweeps sooner
 */
@ConfigurationProperties("offsetd.builds")
record UnknownBuildProperties(
        @DefaultValue("100000") int maxUnknown,
        @DefaultValue("10m") Duration sweep) {

    UnknownBuildProperties {
        if (maxUnknown < 0 || !sweep.isPositive()) {
            throw new IllegalArgumentException("offsetd.builds: max-unknown " + maxUnknown + ", sweep "
                    + DurationText.of(sweep) + "; expected no less than 0, and more than zero time");
        }
    }
}
