package dev.offsetd.server.fetch;

import java.time.Duration;

/**
 * One upstream debuginfod, and what we put up with from it.
 *
 * @param policy what is configured of it
 * @param http how it is reached
 * @param userAgent who we say we are
 * @param maxFileBytes of one file, decompressed
 * @param maxRetryAfter longest wait that it may ask for
 */
record Upstream(UpstreamPolicy policy, UpstreamHttp http, String userAgent, long maxFileBytes, Duration maxRetryAfter) {

    /** The base URL without credentials; safe to log and to answer with. */
    String name() {
        return policy.name();
    }
}
