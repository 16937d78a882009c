package dev.offsetd.server.webhooks;

import dev.offsetd.server.sources.http.AddressRules;
import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of webhooks.
 *
 * @param poll time between looks for events to send
 * @param timeout time for a receiver to answer
 * @param retry time until the next attempt after a failure; it doubles with each one
 * @param maxRetry longest time between attempts
 * @param giveUp age of an event at which a failed attempt is the last
 * @param max webhooks that can be created
 * @param maxUndelivered events that were given up and are listed, of all webhooks; the oldest beyond it are deleted
 * @param allowedNetworks networks in CIDR notation to which events may be sent, in addition to public addresses
 */
@ConfigurationProperties("offsetd.webhooks")
record WebhookProperties(
        @DefaultValue("1s") Duration poll,
        @DefaultValue("10s") Duration timeout,
        @DefaultValue("10s") Duration retry,
        @DefaultValue("1h") Duration maxRetry,
        @DefaultValue("1d") Duration giveUp,
        @DefaultValue("20") int max,
        @DefaultValue("1000") int maxUndelivered,
        @DefaultValue List<String> allowedNetworks) {

    WebhookProperties {
        allowedNetworks = List.copyOf(allowedNetworks);
        if (!poll.isPositive()
                || !timeout.isPositive()
                || !retry.isPositive()
                || maxRetry.compareTo(retry) < 0
                || !giveUp.isPositive()
                || max < 0
                || maxUndelivered <= 0) {
            throw new IllegalArgumentException("offsetd.webhooks: poll " + DurationText.of(poll) + ", timeout "
                    + DurationText.of(timeout) + ", retry "
                    + DurationText.of(retry) + ", max-retry " + DurationText.of(maxRetry) + ", give-up "
                    + DurationText.of(giveUp) + ", max " + max + ", max-undelivered "
                    + maxUndelivered
                    + "; expected a max of no less than 0, a max-retry of no less than retry, and more than zero of all"
                    + " others");
        }
    }

    AddressRules addressRules() {
        return new AddressRules("offsetd.webhooks.allowed-networks", allowedNetworks);
    }
}
