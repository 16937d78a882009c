package dev.offsetd.server.operations.changes;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Polling for changes.
 *
 * @param poll interval of the polls, and so the delay of a change
 * @param maxBuilds limit of builds that are invalidated one by one; if more have changed at once, all count as changed
 */
@ConfigurationProperties("offsetd.changes")
record ChangeProperties(
        @DefaultValue("500ms") Duration poll,
        @DefaultValue("1000") int maxBuilds) {

    ChangeProperties {
        if (!poll.isPositive() || maxBuilds <= 0) {
            throw new IllegalArgumentException("offsetd.changes: poll " + DurationText.of(poll) + ", max-builds "
                    + maxBuilds + "; expected more than zero time, and more than 0");
        }
    }
}
