package dev.offsetd.cli.remote;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * HTTP client for a server that may be hostile or not offsetd. The JDK's client limits headers, chunk sizes and informational
 * responses; this class limits bodies, and reports every unreadable response as an {@link IOException}.
 */
public final class ServerClient implements AutoCloseable {

    /** More than any answer has. */
    static final long MAX_BODY_BYTES = 128 << 20;

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private final HttpClient client;
    private final BearerToken token;
    private final long maxBodyBytes;

    public ServerClient(BearerToken token) {
        this(token, MAX_BODY_BYTES);
    }

    ServerClient(BearerToken token, long maxBodyBytes) {
        this.token = token;
        this.maxBodyBytes = maxBodyBytes;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_TIMEOUT)
                .followRedirects(token.redirects())
                .build();
    }

    /**
     * Returns the response.
     *
     * @throws IOException if there is none, or it is unreadable
     */
    public HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
        HttpRequest shown = token.addedTo(request);
        try {
            return client.send(shown, BodyHandlers.limiting(BodyHandlers.ofByteArray(), maxBodyBytes));
        } catch (RuntimeException e) {
            throw new IOException("the response cannot be read: " + e, e);
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
