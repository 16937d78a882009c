package dev.offsetd.server.builds.demand;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of demand counting.
 *
 * @param max builds with stored demand; beyond it, the tenth with the fewest requests is deleted
 * @param maxPending builds counted in memory between two writes; further ones are not counted
 * @param flush time between writes
 * @param keep time after the last request until a build is deleted
 * @param sweep time between deletions; a server that adds many builds sweeps sooner
 */
@ConfigurationProperties("offsetd.demand")
record DemandProperties(
        @DefaultValue("100000") int max,
        @DefaultValue("4000") int maxPending,
        @DefaultValue("5s") Duration flush,
        @DefaultValue("90d") Duration keep,
        @DefaultValue("10m") Duration sweep) {

    DemandProperties {
        if (max < 0 || maxPending <= 0 || !flush.isPositive() || !keep.isPositive() || !sweep.isPositive()) {
            throw new IllegalArgumentException("offsetd.demand: max " + max + ", max-pending " + maxPending + ", flush "
                    + DurationText.of(flush) + ", keep " + DurationText.of(keep) + ", sweep " + DurationText.of(sweep)
                    + "; expected a max of no less than 0, and more than zero of all others");
        }
    }
}
