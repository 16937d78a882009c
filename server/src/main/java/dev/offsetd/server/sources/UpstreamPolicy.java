package dev.offsetd.server.sources;

import dev.offsetd.server.sources.http.Timeouts;
import dev.offsetd.server.sources.http.UpstreamClients;
import dev.offsetd.server.sources.http.UpstreamHttp;
import dev.offsetd.server.web.TokenShape;
import java.time.Duration;
import java.util.List;
import okhttp3.HttpUrl;

/**
 * Configuration of one upstream.
 *
 * @param base base URL with a slash at the end, with or without credentials
 * @param kind meaning of its 404
 * @param missTimes backoff after negative answers, by consecutive misses; empty for the default
 * @param direct whether to bypass the proxy
 */
record UpstreamPolicy(
        HttpUrl base, boolean enabled, UpstreamKind kind, List<Duration> missTimes, Timeouts timeouts, boolean direct) {

    UpstreamPolicy {
        missTimes = List.copyOf(missTimes);
    }

    UpstreamHttp http(UpstreamClients clients) {
        return clients.of(base, timeouts, direct);
    }

    /** Returns the base URL without credentials, and without the token of another offsetd in its path, which may be logged and returned to clients. */
    String name() {
        return TokenShape.redact(
                base.newBuilder().username("").password("").build().toString());
    }
}
