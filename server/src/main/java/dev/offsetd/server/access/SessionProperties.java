package dev.offsetd.server.access;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Lifetime of user sessions.
 *
 * @param idle time without a request after which a session ends
 * @param absolute time after sign-in at which a session ends in any case
 */
@ConfigurationProperties("offsetd.sessions")
record SessionProperties(
        @DefaultValue("12h") Duration idle,
        @DefaultValue("7d") Duration absolute) {

    SessionProperties {
        if (idle.toSeconds() < 1 || absolute.toSeconds() < 1) {
            throw new IllegalArgumentException("offsetd.sessions: idle " + DurationText.of(idle) + ", absolute "
                    + DurationText.of(absolute) + "; expected at least a second each");
        }
    }
}
