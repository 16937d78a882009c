package dev.offsetd.server.sources.http;

import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/**
 * HTTP clients for one upstream and the servers that it redirects to.
 *
 * @param configured client for the upstream itself
 * @param elsewhere client for other servers
 */
public record UpstreamHttp(HttpUrl base, OkHttpClient configured, PermittedHttp elsewhere) {

    /**
     * Prepares a request to the upstream or to a server that it redirects to.
     *
     * @throws AddressRules.ForbiddenAddressException if the host is an address that the server must not connect to
     */
    public Call newCall(Request request) throws AddressRules.ForbiddenAddressException {
        return isConfigured(request.url()) ? configured.newCall(request) : elsewhere.newCall(request);
    }

    /** Returns whether a URL is on the configured server: same scheme, host and port. */
    public boolean isConfigured(HttpUrl url) {
        return url.scheme().equals(base.scheme()) && url.host().equals(base.host()) && url.port() == base.port();
    }
}
