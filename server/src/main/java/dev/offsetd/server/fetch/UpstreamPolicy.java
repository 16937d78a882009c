package dev.offsetd.server.fetch;

import java.time.Duration;
import java.util.List;
import okhttp3.HttpUrl;

/**
 * What is configured of one upstream.
 *
 * @param base its base URL, with or without credentials, a slash at the end
 * @param enabled whether it is asked at all
 * @param kind what its 404 means
 * @param missTimes its own ladder: time until it is asked again for a build that it did not have, by misses in a row;
 *     empty for the usual one
 * @param direct whether to connect it directly even if there is a proxy
 */
record UpstreamPolicy(
        HttpUrl base, boolean enabled, UpstreamKind kind, List<Duration> missTimes, Timeouts timeouts, boolean direct) {

    UpstreamPolicy {
        missTimes = List.copyOf(missTimes);
    }

    /** The same server, which is not asked. */
    UpstreamPolicy disabled() {
        return new UpstreamPolicy(base, false, kind, missTimes, timeouts, direct);
    }

    /** The base URL without credentials; safe to log and to answer with. */
    String name() {
        return base.newBuilder().username("").password("").build().toString();
    }
}
