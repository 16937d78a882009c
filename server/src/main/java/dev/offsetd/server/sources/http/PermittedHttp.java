package dev.offsetd.server.sources.http;

import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okhttp3.OkHttpClient;
import okhttp3.Request;

/** HTTP client for URLs that the operator has not configured. */
public record PermittedHttp(AddressRules rules, OkHttpClient client, Timeouts timeouts) {

    /**
     * Prepares a request. Redirects are not followed.
     *
     * @throws AddressRules.ForbiddenAddressException if the host is an address that the server must not connect to
     */
    public Call newCall(Request request) throws AddressRules.ForbiddenAddressException {
        rules.requireHost(request.url().host());
        Call call = client.newCall(request);
        call.timeout().timeout(timeouts.total().toNanos(), TimeUnit.NANOSECONDS);
        return call;
    }
}
