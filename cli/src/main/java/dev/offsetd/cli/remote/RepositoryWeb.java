package dev.offsetd.cli.remote;

import dev.offsetd.packages.repositories.Web;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/** HTTP for repositories that the user of this machine names. Redirects to private addresses are refused. */
public final class RepositoryWeb implements Web, AutoCloseable {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration HEADERS_TIMEOUT = Duration.ofSeconds(30);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    @Override
    public Response get(Request request) throws IOException {
        if (request.redirected()) {
            requirePublic(request.uri().getHost());
        }
        HttpRequest.Builder http = HttpRequest.newBuilder(request.uri()).timeout(HEADERS_TIMEOUT);
        request.headers().forEach(http::header);
        try {
            return new StreamedResponse(client.send(http.build(), BodyHandlers.ofInputStream()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (RuntimeException e) {
            throw new IOException("the response cannot be read: " + e, e);
        }
    }

    private static void requirePublic(String host) throws IOException {
        for (InetAddress address : InetAddress.getAllByName(host)) {
            if (address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || address.isLinkLocalAddress()
                    || address.isSiteLocalAddress()
                    || (address.getAddress()[0] & 0xfe) == 0xfc) {
                throw new IOException(
                        "a redirect leads to the address " + address.getHostAddress() + ", which is not public");
            }
        }
    }

    private record StreamedResponse(HttpResponse<InputStream> response) implements Response {

        @Override
        public int status() {
            return response.statusCode();
        }

        @Override
        public Optional<String> header(String name) {
            return response.headers().firstValue(name);
        }

        @Override
        public InputStream body() {
            return response.body();
        }

        @Override
        public void close() throws IOException {
            response.body().close();
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
