package dev.offsetd.server.sources;

import dev.offsetd.server.sources.http.UpstreamHttp;
import java.time.Duration;

/**
 * One upstream debuginfod with its limits.
 *
 * @param maxFileBytes size limit of a file, decompressed
 * @param sectionsAbove size of a file above which its sections are fetched, where that transfers less
 * @param maxRetryAfter longest pause that the upstream may request
 */
record Upstream(
        UpstreamPolicy policy,
        UpstreamHttp http,
        String userAgent,
        long maxFileBytes,
        long sectionsAbove,
        Duration maxRetryAfter) {

    /** Returns the base URL without credentials, which may be logged and returned to clients. */
    String name() {
        return policy.name();
    }
}
