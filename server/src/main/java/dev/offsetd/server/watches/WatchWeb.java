package dev.offsetd.server.watches;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.repositories.Web;
import dev.offsetd.server.sources.OutboundHttp;
import dev.offsetd.server.sources.http.PermittedHttp;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import okhttp3.Call;
import okhttp3.Credentials;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * HTTP of watches. A URL of a watch may lead to public addresses and the networks that the operator permits, a redirect to public
 * addresses only. Bodies are counted for the budget.
 */
@Component
class WatchWeb implements Web {

    private final PermittedHttp chosen;
    private final PermittedHttp redirected;
    private final Map<String, String> credentials;
    private final String userAgent;
    private final boolean offline;
    private final AtomicLong bytes = new AtomicLong();
    private volatile @Nullable Call current;
    private volatile boolean stopped;

    WatchWeb(OutboundHttp outbound, WatchProperties properties) {
        this.chosen = outbound.permitting("offsetd.watches.allowed-networks", properties.allowedNetworks());
        this.redirected = outbound.permitting("the addresses that a redirect may lead to", List.of());
        this.credentials = properties.credentials().stream()
                .collect(Collectors.toMap(
                        WatchProperties.Credential::host, user -> Credentials.basic(user.username(), user.password())));
        this.userAgent = outbound.userAgent();
        this.offline = outbound.offline();
    }

    /** Returns the bytes of bodies since the last call. */
    long takeBytes() {
        return bytes.getAndSet(0);
    }

    /** Ends the current request and refuses others. */
    void stop() {
        stopped = true;
        Call call = current;
        if (call != null) {
            call.cancel();
        }
    }

    @Override
    public Response get(Request request) throws IOException {
        if (offline || stopped) {
            throw new IOException(stopped ? "the server stops" : "offsetd.offline is true; expected false for a URL");
        }
        Call sent;
        try {
            sent = (request.redirected() ? redirected : chosen).newCall(prepared(request));
        } catch (IllegalArgumentException e) {
            throw new IOException(HostileText.quote(request.uri().toString()) + ": " + e.getMessage(), e);
        }
        current = sent;
        if (stopped) {
            throw new IOException("the server stops");
        }
        return new Answer(sent.execute());
    }

    private okhttp3.Request prepared(Request request) {
        okhttp3.Request.Builder call = new okhttp3.Request.Builder()
                .url(request.uri().toString())
                .header(HttpHeaders.USER_AGENT, userAgent)
                // Otherwise OkHttp asks for gzip, and hashes are of the plain bytes.
                .header(HttpHeaders.ACCEPT_ENCODING, "identity");
        String credential = credentials.get(request.uri().getHost());
        if (credential != null && !request.redirected()) {
            call.header(HttpHeaders.AUTHORIZATION, credential);
        }
        request.headers().forEach(call::header);
        return call.build();
    }

    private final class Answer implements Response {

        private final okhttp3.Response response;

        Answer(okhttp3.Response response) {
            this.response = response;
        }

        @Override
        public int status() {
            return response.code();
        }

        @Override
        public Optional<String> header(String name) {
            return Optional.ofNullable(response.header(name));
        }

        @Override
        public InputStream body() {
            return new FilterInputStream(response.body().byteStream()) {

                @Override
                public int read() throws IOException {
                    int value = super.read();
                    bytes.addAndGet(value < 0 ? 0 : 1);
                    return value;
                }

                @Override
                public int read(byte[] to, int offset, int length) throws IOException {
                    int read = super.read(to, offset, length);
                    bytes.addAndGet(Math.max(0, read));
                    return read;
                }
            };
        }

        @Override
        public void close() {
            response.close();
        }
    }
}
