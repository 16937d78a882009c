package dev.offsetd.server.sources.http;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.IoReason;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolException;
import java.net.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import okhttp3.ConnectionPool;
import okhttp3.Credentials;
import okhttp3.Dns;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okhttp3.tls.HandshakeCertificates;
import okio.Buffer;
import okio.ForwardingSource;
import okio.Okio;
import org.jspecify.annotations.Nullable;

/**
 * HTTP clients for all settings. Configured servers and redirect targets have separate connection pools, so that a connection to
 * a configured internal server is never reused for a redirect.
 */
public final class UpstreamClients {

    private static final String PROXY_AUTHORIZATION = "Proxy-Authorization";

    /**
     * Two clients with different address rules.
     *
     * @param configured connects to any address
     * @param elsewhere connects to permitted addresses only, or to the proxy
     */
    private record Pair(OkHttpClient configured, OkHttpClient elsewhere) {}

    private final AddressRules rules;
    private final BoundedSockets sockets;
    private final Pair direct;
    private final Pair usual;

    private UpstreamClients(AddressRules rules, BoundedSockets sockets, Pair direct, Pair usual) {
        this.rules = rules;
        this.sockets = sockets;
        this.direct = direct;
        this.usual = usual;
    }

    /**
     * Creates clients that speak HTTP/1.1 and bound everything that they read except bodies.
     *
     * @param proxy URL of an HTTP proxy, with or without credentials
     * @param caFile PEM certificates that are trusted in addition to the platform's
     * @param allowedNetworks networks in CIDR notation to which an upstream may redirect, in addition to public addresses
     * @param trace intercepts every request, also after redirects
     * @throws IllegalArgumentException if the proxy, the networks or the certificates are invalid
     */
    public static UpstreamClients of(
            @Nullable String proxy, @Nullable Path caFile, List<String> allowedNetworks, Interceptor trace, Dns dns) {
        AddressRules rules = new AddressRules("offsetd.upstreams.allowed-networks", allowedNetworks);
        HandshakeCertificates trusted = trusting(caFile);
        BoundedSockets sockets = new BoundedSockets();
        OkHttpClient client = new OkHttpClient.Builder()
                .dns(dns)
                // HTTP/2 headers and control frames cannot be bounded, and OkHttp buffers 16 MB of each stream.
                .protocols(List.of(Protocol.HTTP_1_1))
                .socketFactory(sockets.plain(null))
                .sslSocketFactory(sockets.encrypted(trusted.sslSocketFactory()), trusted.trustManager())
                // Ignores the proxy settings of the JVM; only this server's configuration counts.
                .proxy(Proxy.NO_PROXY)
                .followRedirects(false)
                .followSslRedirects(false)
                .addInterceptor(trace)
                .addNetworkInterceptor(new StrictResponses(sockets))
                .build();
        Pair direct = new Pair(
                client,
                client.newBuilder()
                        .connectionPool(new ConnectionPool())
                        .socketFactory(sockets.plain(rules))
                        .build());
        return new UpstreamClients(rules, sockets, direct, proxy == null ? direct : through(proxy, client));
    }

    /** Creates clients that connect to the proxy only. The proxy decides which addresses it connects to. */
    private static Pair through(String url, OkHttpClient client) {
        HttpUrl proxy = HttpUrl.parse(url);
        if (proxy == null || proxy.isHttps()) {
            throw new IllegalArgumentException("offsetd.upstreams.proxy is "
                    + HostileText.quote(proxy == null ? url : proxy.redact()) + "; expected an http URL");
        }
        OkHttpClient.Builder builder = client.newBuilder()
                .proxy(new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(proxy.host(), proxy.port())));
        if (!proxy.username().isEmpty()) {
            String credentials = Credentials.basic(proxy.username(), proxy.password());
            // Null ends the attempts: the proxy has rejected these credentials.
            builder.proxyAuthenticator((route, response) -> response.request().header(PROXY_AUTHORIZATION) != null
                    ? null
                    : response.request()
                            .newBuilder()
                            .header(PROXY_AUTHORIZATION, credentials)
                            .build());
        }
        OkHttpClient proxied = builder.build();
        return new Pair(
                proxied,
                proxied.newBuilder().connectionPool(new ConnectionPool()).build());
    }

    /** Trusts the platform's certificates, and those of the file if there is one. */
    private static HandshakeCertificates trusting(@Nullable Path caFile) {
        HandshakeCertificates.Builder trusted = new HandshakeCertificates.Builder().addPlatformTrustedCertificates();
        if (caFile == null) {
            return trusted.build();
        }
        try (InputStream in = Files.newInputStream(caFile)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw badCaFile(caFile, "it has no certificate", null);
            }
            for (Certificate certificate : certificates) {
                trusted.addTrustedCertificate((X509Certificate) certificate);
            }
        } catch (IOException e) {
            throw badCaFile(caFile, IoReason.of(e), e);
        } catch (CertificateException e) {
            throw badCaFile(caFile, String.valueOf(e.getMessage()), e);
        }
        return trusted.build();
    }

    private static IllegalArgumentException badCaFile(Path caFile, String reason, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "offsetd.upstreams.ca-file is " + caFile + " (" + reason + "); expected a file of certificates in PEM",
                cause);
    }

    /**
     * Returns the clients for one upstream.
     *
     * @param bypassProxy whether to connect to it without the proxy
     */
    public UpstreamHttp of(HttpUrl base, Timeouts timeouts, boolean bypassProxy) {
        Pair pair = bypassProxy ? direct : usual;
        return new UpstreamHttp(
                base,
                timed(pair.configured(), timeouts),
                new PermittedHttp(rules, timed(pair.elsewhere(), timeouts), timeouts));
    }

    /** Returns a client that connects to addresses that these rules permit only, or to the proxy. */
    public PermittedHttp permitting(AddressRules permitted, Timeouts timeouts) {
        OkHttpClient.Builder client = usual.configured().newBuilder().connectionPool(new ConnectionPool());
        if (Proxy.NO_PROXY.equals(usual.configured().proxy())) {
            client.socketFactory(sockets.plain(permitted));
        }
        return new PermittedHttp(permitted, timed(client.build(), timeouts), timeouts);
    }

    /** Adds timeouts to a client, which keeps its connection pool. The total timeout is set on each call. */
    private static OkHttpClient timed(OkHttpClient client, Timeouts timeouts) {
        return client.newBuilder()
                .connectTimeout(timeouts.connect())
                .readTimeout(timeouts.stall())
                .writeTimeout(timeouts.stall())
                .addInterceptor(new HeadersDeadline(timeouts.headers()))
                .build();
    }

    /**
     * Checks of each response that OkHttp omits: numbers in headers, which it parses without validation, and the bytes between two
     * parts of the body. A network interceptor, because it must run once for each exchange.
     */
    private record StrictResponses(BoundedSockets connections) implements Interceptor {

        private static final String CONTENT_LENGTH = "Content-Length";

        /** RFC 9110 section 8.6. */
        private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

        @Override
        public Response intercept(Chain chain) throws IOException {
            Framing framing = connections.framing(
                    Objects.requireNonNull(chain.connection()).socket());
            framing.reset();
            Response response = chain.proceed(chain.request());
            // The body is not closed: closing a body of negative length throws. After the exception, OkHttp drops the
            // connection.
            requireLength(response.headers(CONTENT_LENGTH));
            ResponseBody body = response.body();
            ForwardingSource counted = new ForwardingSource(body.source()) {
                @Override
                public long read(Buffer sink, long byteCount) throws IOException {
                    long read = super.read(sink, byteCount);
                    if (read > 0) {
                        framing.reset();
                    }
                    return read;
                }
            };
            return RetryAfter.shortened(response)
                    .newBuilder()
                    .body(ResponseBody.create(Okio.buffer(counted), body.contentType(), body.contentLength()))
                    .build();
        }

        /** Requires one valid length: otherwise the end of the body is undefined (RFC 9112 section 6.3). */
        private static void requireLength(List<String> lengths) throws ProtocolException {
            for (String length : lengths) {
                if (!LENGTH.matcher(length).matches() || !length.equals(lengths.getFirst())) {
                    throw new ProtocolException(CONTENT_LENGTH + " is " + HostileText.quote(String.join(", ", lengths))
                            + "; expected one number of bytes");
                }
            }
        }
    }
}
