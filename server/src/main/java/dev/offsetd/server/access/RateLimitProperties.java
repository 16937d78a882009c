package dev.offsetd.server.access;

import jakarta.validation.constraints.PositiveOrZero;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.validation.annotation.Validated;

/**
 * Rate limits of one server.
 *
 * @param tokenRequests requests per second with one token; 0 for no limit
 * @param tokenBurst requests with one token at once, after a pause
 * @param addressRequests requests per second without a token from one address; 0 for no limit. Null for
 *     {@link #ADDRESS_REQUESTS}, or for no limit if trusted proxies are configured
 * @param addressBurst requests without a token from one address at once, after a pause
 */
@Validated
@ConfigurationProperties("offsetd.rate-limit")
record RateLimitProperties(
        @PositiveOrZero @DefaultValue("10000") long tokenRequests,
        @PositiveOrZero @DefaultValue("100000") long tokenBurst,
        @PositiveOrZero @Nullable Long addressRequests,
        @PositiveOrZero @DefaultValue("100000") long addressBurst) {

    /** Enough for 100,000 hosts behind one address to send one request each at once, and six per minute after that. */
    static final long ADDRESS_REQUESTS = 10_000;

    /** Returns the requests per second from one address; 0 for no limit. */
    long addressRequests(boolean behindProxies) {
        if (addressRequests != null) {
            return addressRequests;
        }
        return behindProxies ? 0 : ADDRESS_REQUESTS;
    }
}
