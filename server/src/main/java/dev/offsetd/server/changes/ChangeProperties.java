package dev.offsetd.server.changes;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How a server hears of changes.
 *
 * @param poll time between two looks; a change is heard of that late
 * @param maxBuilds builds that are named one by one; when more have changed at once, all count as changed
 */
@ConfigurationProperties("offsetd.changes")
record ChangeProperties(
        @DefaultValue("500ms") Duration poll,
        @DefaultValue("1000") int maxBuilds) {

    ChangeProperties {
        if (!poll.isPositive() || maxBuilds <= 0) {
            throw new IllegalArgumentException("offsetd.changes: poll " + poll + ", max-builds " + maxBuilds
                    + "; expected more than zero time, and more than 0");
        }
    }
}
