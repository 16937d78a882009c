package dev.offsetd.server.fetch;

import java.time.Duration;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;

/**
 * One upstream debuginfod, and what we put up with from it.
 *
 * @param base its base URL, with or without credentials
 * @param http follows no redirects by itself and ends silent calls
 * @param userAgent who we say we are
 * @param totalTimeout for one file, redirects included
 * @param maxFileBytes of one file, decompressed
 */
record Upstream(HttpUrl base, OkHttpClient http, String userAgent, Duration totalTimeout, long maxFileBytes) {

    /** The base URL without credentials; safe to log and to answer with. */
    String name() {
        return base.newBuilder().username("").password("").build().toString();
    }
}
