package dev.offsetd.server.events;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the event log.
 *
 * @param keep time after which an event is deleted
 * @param max events in the log; the oldest beyond it are deleted
 * @param sweep time between deletions
 * @param sets type sets whose builds are compared with earlier ones, in addition to those of watches
 * @param demand requests for a build that no source has after which an event reports them; 0 for never
 */
@ConfigurationProperties("offsetd.events")
public record EventProperties(
        @DefaultValue("30d") Duration keep,
        @DefaultValue("100000") int max,
        @DefaultValue("1m") Duration sweep,
        @DefaultValue List<String> sets,
        @DefaultValue("100") long demand) {

    public EventProperties {
        sets = List.copyOf(sets);
        if (!keep.isPositive() || max <= 0 || !sweep.isPositive() || demand < 0) {
            throw new IllegalArgumentException("offsetd.events: keep " + DurationText.of(keep) + ", max " + max
                    + ", sweep " + DurationText.of(sweep) + ", demand " + demand
                    + "; expected a demand of no less than 0, and more than zero of all others");
        }
    }
}
