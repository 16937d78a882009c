package dev.offsetd.server.users;

import jakarta.validation.constraints.Positive;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Who may try to sign in with a password, and how often. After some failures each further one makes the next attempt wait, twice as long
 * as the one before.
 *
 * @param local whether anybody can sign in with a password; if not, an OpenID Connect provider must be configured
 * @param accountFailures failures for one account that make nobody wait
 * @param addressFailures the same for one address, which many people may share
 * @param firstDelay after the next failure
 * @param accountMaxDelay longest wait for an account; whoever knows a name can make its owner wait so long
 * @param addressMaxDelay longest wait for an address
 * @param forget time after the last failure until nobody remembers any
 */
@Validated
@ConfigurationProperties("offsetd.sign-in")
record SignInProperties(
        @DefaultValue("true") boolean local,
        @Positive @DefaultValue("5") int accountFailures,
        @Positive @DefaultValue("20") int addressFailures,
        @DefaultValue("1s") Duration firstDelay,
        @DefaultValue("1m") Duration accountMaxDelay,
        @DefaultValue("15m") Duration addressMaxDelay,
        @DefaultValue("1h") Duration forget) {}
