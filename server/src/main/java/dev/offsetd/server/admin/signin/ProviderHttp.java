package dev.offsetd.server.admin.signin;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.sources.http.AddressRules;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.apache.commons.io.input.BoundedInputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.InterceptingClientHttpRequestFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;

/**
 * HTTP client for the OpenID Connect provider, with timeouts and bounded responses. The JDK's client bounds headers, chunk sizes
 * and informational responses; this class bounds bodies.
 *
 * <p>The operator has configured the issuer. Its metadata names the other endpoints, which may be on the issuer's server, with any
 * address, or on servers with permitted addresses: metadata under foreign control must not send requests, and the secret of this
 * client, into the operator's network (SSRF). Redirects are not followed; providers need none (OpenID Connect Discovery 1.0,
 * section 4.2).
 */
final class ProviderHttp {

    /** Metadata, keys and claims take a few kilobytes. */
    private static final long MAX_BODY_BYTES = 1 << 20;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private ProviderHttp() {}

    /**
     * Returns the client.
     *
     * @param issuer URL of the provider
     * @param elsewhere permitted addresses of other servers
     */
    static ClientHttpRequestFactory requests(URI issuer, AddressRules elsewhere) {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(TIMEOUT)
                .build());
        requests.setReadTimeout(TIMEOUT);
        // The JDK's GZIPInputStream bounds neither the header of a member nor the number of members.
        requests.enableCompression(false);
        return new InterceptingClientHttpRequestFactory(requests, List.of((request, body, execution) -> {
            require(request.getURI(), issuer, elsewhere);
            ClientHttpResponse response = new Bounded(execution.execute(request, body));
            if (response.getStatusCode().is3xxRedirection()) {
                response.close();
                throw new IOException(request.getURI() + " redirects, status "
                        + response.getStatusCode().value() + "; expected a document");
            }
            return response;
        }));
    }

    /** Checks that an endpoint is on the issuer's server, or has a permitted address. */
    static void require(URI target, URI issuer, AddressRules elsewhere) throws IOException {
        String host = target.getHost();
        boolean isPlain = "http".equalsIgnoreCase(issuer.getScheme());
        if (host != null
                && host.equalsIgnoreCase(issuer.getHost())
                && issuer.getScheme().equalsIgnoreCase(target.getScheme())
                && port(target) == port(issuer)) {
            return;
        }
        if (host == null
                || !("https".equalsIgnoreCase(target.getScheme())
                        || (isPlain && "http".equalsIgnoreCase(target.getScheme())))) {
            throw new IOException("an endpoint of the provider is " + HostileText.quote(target.toString())
                    + "; expected an https URL");
        }
        try {
            // The literal of an IPv6 address has brackets.
            elsewhere.requireResolved(host.replace("[", "").replace("]", ""));
        } catch (AddressRules.ForbiddenAddressException e) {
            throw new IOException(
                    "an endpoint of the provider, " + HostileText.quote(target.toString()) + ", " + e.detail(), e);
        }
    }

    private static int port(URI url) {
        if (url.getPort() >= 0) {
            return url.getPort();
        }
        return "https".equalsIgnoreCase(url.getScheme()) ? 443 : 80;
    }

    /** A response whose body ends at the limit. A truncated document fails to parse. */
    private record Bounded(ClientHttpResponse response) implements ClientHttpResponse {

        @Override
        public InputStream getBody() throws IOException {
            return BoundedInputStream.builder()
                    .setInputStream(response.getBody())
                    .setMaxCount(MAX_BODY_BYTES)
                    .get();
        }

        @Override
        public HttpStatusCode getStatusCode() throws IOException {
            return response.getStatusCode();
        }

        @Override
        public String getStatusText() throws IOException {
            return response.getStatusText();
        }

        @Override
        public HttpHeaders getHeaders() {
            return response.getHeaders();
        }

        /** Closes the body first: closing the response would read it to the end. */
        @Override
        public void close() {
            try {
                response.getBody().close();
            } catch (IOException e) {
                // The connection is closed.
            }
            response.close();
        }
    }
}
