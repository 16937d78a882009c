package dev.offsetd.server.access.tokens;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The in-memory copy of the tokens.
 *
 * @param poll how often a server checks for new and revoked tokens
 * @param lastUsed how often it records the use of tokens
 * @param outage how long tokens in memory are accepted without the database
 */
@ConfigurationProperties("offsetd.tokens")
record TokenProperties(
        @DefaultValue("500ms") Duration poll,
        @DefaultValue("1m") Duration lastUsed,
        @DefaultValue("24h") Duration outage) {}
