package dev.offsetd.server.access;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How long somebody stays signed in.
 *
 * @param idle without a request
 * @param absolute whatever is asked
 */
@ConfigurationProperties("offsetd.sessions")
record SessionProperties(
        @DefaultValue("12h") Duration idle,
        @DefaultValue("7d") Duration absolute) {

    SessionProperties {
        if (idle.toSeconds() < 1 || absolute.toSeconds() < 1) {
            throw new IllegalArgumentException(
                    "offsetd.sessions: idle " + idle + ", absolute " + absolute + "; expected at least a second each");
        }
    }
}
