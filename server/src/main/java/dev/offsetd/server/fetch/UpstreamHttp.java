package dev.offsetd.server.fetch;

import okhttp3.Call;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/**
 * HTTP with one upstream, and with whomever it redirects to. Follows no redirects by itself and ends silent calls.
 *
 * @param base the upstream's base URL
 * @param rules what may be connected for any other URL
 * @param configured for the upstream itself
 * @param elsewhere for anybody else
 */
record UpstreamHttp(HttpUrl base, AddressRules rules, OkHttpClient configured, OkHttpClient elsewhere) {

    /** A call that is ready to be executed, once. */
    Call newCall(Request request) throws AddressRules.ForbiddenAddressException {
        if (isConfigured(request.url())) {
            return configured.newCall(request);
        }
        rules.requireHost(request.url().host());
        return elsewhere.newCall(request);
    }

    /** Whether a URL is on the very server that the operator configured: same scheme, same host, same port. */
    boolean isConfigured(HttpUrl url) {
        return url.scheme().equals(base.scheme()) && url.host().equals(base.host()) && url.port() == base.port();
    }
}
