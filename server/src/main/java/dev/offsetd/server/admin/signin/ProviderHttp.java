package dev.offsetd.server.admin.signin;

import java.io.IOException;
import java.io.InputStream;
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
 */
final class ProviderHttp {

    /** Metadata, keys and claims take a few kilobytes. */
    private static final long MAX_BODY_BYTES = 1 << 20;

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private ProviderHttp() {}

    static ClientHttpRequestFactory requests() {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(TIMEOUT)
                .build());
        requests.setReadTimeout(TIMEOUT);
        // The JDK's GZIPInputStream bounds neither the header of a member nor the number of members.
        requests.enableCompression(false);
        return new InterceptingClientHttpRequestFactory(
                requests, List.of((request, body, execution) -> new Bounded(execution.execute(request, body))));
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

        @Override
        public void close() {
            response.close();
        }
    }
}
