package dev.offsetd.server.fetch;

import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/**
 * HTTP clients for one upstream and the servers that it redirects to.
 *
 * @param base the upstream's base URL
 * @param rules permitted addresses of other servers
 * @param configured client for the upstream itself
 * @param elsewhere client for other servers
 */
record UpstreamHttp(HttpUrl base, AddressRules rules, OkHttpClient configured, OkHttpClient elsewhere) {

    Call newCall(Request request) throws AddressRules.ForbiddenAddressException {
        if (isConfigured(request.url())) {
            return configured.newCall(request);
        }
        rules.requireHost(request.url().host());
        return elsewhere.newCall(request);
    }

    /** Returns whether a URL is on the configured server: same scheme, host and port. */
    boolean isConfigured(HttpUrl url) {
        return url.scheme().equals(base.scheme()) && url.host().equals(base.host()) && url.port() == base.port();
    }
}
