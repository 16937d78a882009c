package dev.offsetd.server.prewarms.enrichment;

import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the work on identities.
 *
 * @param poll time between looks for work; a server that finds some goes on at once
 * @param maxExecutable largest executable that is fetched for its names; 0 to fetch none
 * @param claim time after which another server may take over the work of one that died
 * @param retry time until the next attempt after a failure; it doubles with each one
 * @param attempts most attempts at a build
 */
@ConfigurationProperties("offsetd.identities")
record IdentityProperties(
        @DefaultValue("10s") Duration poll,
        @DefaultValue("64MB") DataSize maxExecutable,
        @DefaultValue("15m") Duration claim,
        @DefaultValue("1h") Duration retry,
        @DefaultValue("6") int attempts) {

    IdentityProperties {
        if (!poll.isPositive()
                || maxExecutable.isNegative()
                || !claim.isPositive()
                || !retry.isPositive()
                || attempts <= 0) {
            throw new IllegalArgumentException(
                    "offsetd.identities: poll " + DurationText.of(poll) + ", max-executable " + maxExecutable
                            + ", claim " + DurationText.of(claim) + ", retry " + DurationText.of(retry) + ", attempts "
                            + attempts
                            + "; expected a max-executable of no less than 0, and more than zero of all others");
        }
    }
}
