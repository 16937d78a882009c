package dev.offsetd.server.access.users;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Sign-in by password. After some failures, each further one doubles the delay before the next attempt.
 *
 * @param local whether users can sign in with a password; if not, an OpenID Connect provider must be configured
 * @param accountFailures failures of an account without delay
 * @param addressFailures failures of an address without delay; many users may share one
 * @param firstDelay delay after the next failure
 * @param accountMaxDelay longest delay of an account; anyone who knows its name can cause it
 * @param addressMaxDelay longest delay of an address
 * @param forget time after the last failure at which failures no longer count
 */
@ConfigurationProperties("offsetd.sign-in")
record SignInProperties(
        @DefaultValue("true") boolean local,
        @DefaultValue("5") int accountFailures,
        @DefaultValue("20") int addressFailures,
        @DefaultValue("1s") Duration firstDelay,
        @DefaultValue("1m") Duration accountMaxDelay,
        @DefaultValue("15m") Duration addressMaxDelay,
        @DefaultValue("1h") Duration forget) {

    SignInProperties {
        if (accountFailures < 1 || addressFailures < 1) {
            throw new IllegalArgumentException("offsetd.sign-in: account-failures " + accountFailures
                    + ", address-failures " + addressFailures + "; expected at least 1 each");
        }
    }
}
