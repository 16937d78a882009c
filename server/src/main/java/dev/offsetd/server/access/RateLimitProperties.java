package dev.offsetd.server.access;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Rate limits of one server.
 *
 * @param tokenRequests requests per second with one token; 0 for no limit
 * @param tokenBurst requests with one token at once, after a pause
 * @param addressRequests requests per second without a token from one address; 0 for no limit. Null for
 *     {@link #ADDRESS_REQUESTS}, or for no limit if trusted proxies are configured
 * @param addressBurst requests without a token from one address at once, after a pause
 */
@ConfigurationProperties("offsetd.rate-limit")
record RateLimitProperties(
        @DefaultValue("10000") long tokenRequests,
        @DefaultValue("100000") long tokenBurst,
        @Nullable Long addressRequests,
        @DefaultValue("100000") long addressBurst) {

    /** Enough for 100,000 hosts behind one address to send one request each at once, and six per minute after that. */
    static final long ADDRESS_REQUESTS = 10_000;

    RateLimitProperties {
        requireNotNegative("token-requests", tokenRequests);
        requireNotNegative("token-burst", tokenBurst);
        requireNotNegative("address-requests", addressRequests == null ? 0 : addressRequests);
        requireNotNegative("address-burst", addressBurst);
    }

    private static void requireNotNegative(String name, long requests) {
        if (requests < 0) {
            throw new IllegalArgumentException(
                    "offsetd.rate-limit." + name + " is " + requests + "; expected a number of requests, or 0");
        }
    }

    /** Returns the requests per second from one address; 0 for no limit. */
    long addressRequests(boolean behindProxies) {
        return addressRequests != null ? addressRequests : behindProxies ? 0 : ADDRESS_REQUESTS;
    }
}
