package dev.offsetd.server.tokens;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * How tokens are kept in memory.
 *
 * @param poll how often a server looks whether a token was made or revoked
 * @param lastUsed how often it notes which tokens were used
 * @param outage how long tokens in memory are good without the database
 */
@ConfigurationProperties("offsetd.tokens")
record TokenProperties(
        @DefaultValue("500ms") Duration poll,
        @DefaultValue("1m") Duration lastUsed,
        @DefaultValue("24h") Duration outage) {}
