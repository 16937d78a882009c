package dev.offsetd.server.builds;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How much is remembered of builds that nobody has.
 *
 * @param maxUnknown builds without anything stored; before they are more, a tenth is forgotten, those whose last attempt is
 *     longest ago
 * @param sweep time between looking whether there are too many; a server that adds many looks sooner
 */
@ConfigurationProperties("offsetd.builds")
record UnknownBuildProperties(
        @DefaultValue("100000") int maxUnknown,
        @DefaultValue("10m") Duration sweep) {

    UnknownBuildProperties {
        if (maxUnknown < 0 || !sweep.isPositive()) {
            throw new IllegalArgumentException("offsetd.builds: max-unknown " + maxUnknown + ", sweep " + sweep
                    + "; expected no less than 0, and more than zero time");
        }
    }
}
