package dev.offsetd.server.access;

import jakarta.validation.constraints.PositiveOrZero;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * How often somebody may ask one server.
 *
 * @param tokenRequests requests a second with one token; 0 for no limit
 * @param tokenBurst requests with one token at once, after a quiet time
 * @param addressRequests requests a second without a token from one address; 0 for no limit. Null for
 *     {@link #ADDRESS_REQUESTS}, or for no limit where trusted proxies are configured
 * @param addressBurst requests without a token from one address at once, after a quiet time
 */
@Validated
@ConfigurationProperties("offsetd.rate-limit")
record RateLimitProperties(
        @PositiveOrZero @DefaultValue("10000") long tokenRequests,
        @PositiveOrZero @DefaultValue("100000") long tokenBurst,
        @PositiveOrZero @Nullable Long addressRequests,
        @PositiveOrZero @DefaultValue("100000") long addressBurst) {

    /** A hundred thousand hosts behind one address can each ask at the same moment, and six times a minute after that. */
    static final long ADDRESS_REQUESTS = 10_000;

    /** Requests a second from one address, for a server with or without proxies before it; 0 for no limit. */
    long addressRequests(boolean behindProxies) {
        if (addressRequests != null) {
            return addressRequests;
        }
        return behindProxies ? 0 : ADDRESS_REQUESTS;
    }
}
