package dev.offsetd.server.watches;

import dev.offsetd.packages.PackageUnpacker;
import dev.offsetd.packages.repositories.Web;
import dev.offsetd.server.sources.OutboundHttp;
import dev.offsetd.server.sources.http.AddressRules.ForbiddenAddressException;
import dev.offsetd.server.sources.http.PermittedHttp;
import dev.offsetd.server.web.ProblemException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import okhttp3.Call;
import okhttp3.Credentials;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * HTTP of watches. A URL of a watch may lead to public addresses and the networks that the operator permits, a redirect to public
 * addresses only. Bytes are counted for the budget, also those of upstreams.
 */
@Component
class WatchWeb implements Web {

    private final PermittedHttp chosen;
    private final PermittedHttp redirected;
    private final Map<String, WatchProperties.Credential> credentials;
    private final String userAgent;
    private final boolean offline;
    private final AtomicLong bytes = new AtomicLong();
    private volatile @Nullable Call current;
    private volatile boolean stopped;

    WatchWeb(OutboundHttp outbound, WatchProperties properties) {
        this.chosen = outbound.permitting("offsetd.watches.allowed-networks", properties.allowedNetworks());
        this.redirected = outbound.permitting("the addresses that a redirect may lead to", List.of());
        this.credentials = properties.credentials().stream()
                .collect(Collectors.toMap(user -> user.host().toLowerCase(Locale.ROOT), user -> user));
        this.userAgent = outbound.userAgent();
        this.offline = outbound.offline();
    }

    /**
     * Checks that a URL leads to a permitted address, unless its host is a name: its addresses are checked when it is read.
     *
     * @throws ProblemException if it does not: 400
     */
    void requirePermitted(String url) {
        HttpUrl parsed = HttpUrl.parse(url);
        try {
            if (parsed != null) {
                chosen.rules().requireHost(parsed.host());
            }
        } catch (ForbiddenAddressException e) {
            throw Watch.Draft.bad("url", "url " + forbidden(URI.create(url), e));
        }
    }

    /** Returns whether URLs are not read. */
    boolean isOffline() {
        return offline;
    }

    /** Counts what an upstream has sent for a watch. */
    void count(long upstreamBytes) {
        bytes.addAndGet(upstreamBytes);
    }

    /** Returns the bytes that were received since the last call. */
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
        if (stopped) {
            throw new IOException("the server stops");
        }
        try {
            WatchProperties.Credential user = user(request).orElse(null);
            // The operator has chosen a host by configuring a user for it.
            PermittedHttp http = request.redirected() && user == null ? redirected : chosen;
            Call sent = http.newCall(prepared(request, user));
            current = sent;
            if (stopped) {
                throw new IOException("the server stops");
            }
            return new Answer(request.uri(), sent.execute());
        } catch (IOException e) {
            throw failure(request.uri(), e);
        } catch (IllegalArgumentException e) {
            throw new IOException(Web.shown(request.uri()) + ": " + e.getMessage(), e);
        }
    }

    /** A URL leads to an address or a folder that is not permitted. */
    static final class ForbiddenPlaceException extends IOException {

        ForbiddenPlaceException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /** Returns the failure with the URL and what was expected of it, for people who see nothing else of the run. */
    private static IOException failure(URI uri, IOException e) {
        return switch (e) {
            case ForbiddenAddressException forbidden -> new ForbiddenPlaceException(forbidden(uri, forbidden), e);
            case UnknownHostException _ ->
                new IOException(
                        Web.shown(uri) + " cannot be reached: its host has no address; expected one that is in DNS", e);
            case ConnectException _ ->
                new IOException(
                        Web.shown(uri) + " cannot be reached: its host refuses connections; expected a web server", e);
            case InterruptedIOException _ -> tooSlow(uri, e);
            default ->
                String.valueOf(e.getMessage()).contains("Socket closed")
                        ? tooSlow(uri, e)
                        : new IOException(
                                Web.shown(uri) + " cannot be read: " + PackageUnpacker.reason(e)
                                        + "; expected a whole answer by HTTP",
                                e);
        };
    }

    private static String forbidden(URI uri, ForbiddenAddressException e) {
        return Web.shown(uri) + " " + e.detail() + "; expected one of these";
    }

    private static IOException tooSlow(URI uri, IOException e) {
        InterruptedIOException slow = new InterruptedIOException(
                Web.shown(uri) + " took too long; expected an answer within the timeouts of upstreams");
        slow.initCause(e);
        return slow;
    }

    /** Returns the user of the host of a request, or of the repository for which the host issues a token. */
    private Optional<WatchProperties.Credential> user(Request request) {
        String host = request.uri().getHost();
        Optional<WatchProperties.Credential> ofRepository =
                of(request.tokensOf()).filter(user -> user.isTokenHost(host));
        return ofRepository.isPresent() || request.redirected() ? ofRepository : of(host);
    }

    private Optional<WatchProperties.Credential> of(@Nullable String host) {
        return host == null ? Optional.empty() : Optional.ofNullable(credentials.get(host.toLowerCase(Locale.ROOT)));
    }

    private okhttp3.Request prepared(Request request, WatchProperties.@Nullable Credential user) {
        okhttp3.Request.Builder call = new okhttp3.Request.Builder()
                .url(request.uri().toString())
                .header(HttpHeaders.USER_AGENT, userAgent)
                // Otherwise OkHttp asks for gzip, and hashes are of the plain bytes.
                .header(HttpHeaders.ACCEPT_ENCODING, "identity");
        if (user != null) {
            call.header(HttpHeaders.AUTHORIZATION, Credentials.basic(user.username(), user.password()));
        }
        request.headers().forEach(call::header);
        return call.build();
    }

    private final class Answer implements Response {

        private final URI uri;
        private final okhttp3.Response response;

        Answer(URI uri, okhttp3.Response response) {
            this.uri = uri;
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
                    byte[] one = new byte[1];
                    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
                }

                @Override
                public int read(byte[] to, int offset, int length) throws IOException {
                    try {
                        int read = super.read(to, offset, length);
                        bytes.addAndGet(Math.max(0, read));
                        return read;
                    } catch (IOException e) {
                        throw failure(uri, e);
                    }
                }
            };
        }

        @Override
        public void close() {
            response.close();
        }
    }
}
