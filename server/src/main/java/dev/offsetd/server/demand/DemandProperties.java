package dev.offsetd.server.demand;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How demand is counted.
 *
 * @param max builds whose demand is remembered; before they are more, a tenth is forgotten, those asked for least
 * @param maxPending builds counted in memory between two writes; what is asked for beyond them is not counted
 * @param flush time between writes
 * @param keep how long demand is remembered after the last time that a build was asked for
 * @param sweep time between looking what can be forgotten; a server that adds many looks sooner
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
                    + flush + ", keep " + keep + ", sweep " + sweep
                    + "; expected a max of no less than 0, and more than zero of all others");
        }
    }
}
