package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that a server has read and not answered, through nginx and HAProxy with their configurations in packaging/. */
class RepeatedRequestsIntegrationTests {

    private static final String PATH = "/v1/pins/1";

    @TempDir
    private Path folder;

    private SilentServer first;
    private SilentServer second;

    @BeforeEach
    void start() throws IOException {
        first = SilentServer.start();
        second = SilentServer.start();
    }

    @AfterEach
    void stop() throws IOException {
        first.close();
        second.close();
    }

    @Test
    void nginxRepeatsReadsOnly() throws Exception {
        for (String method : List.of("PUT", "POST", "DELETE")) {
            try (Nginx nginx = Nginx.start(folder.resolve(method), List.of(first.port(), second.port()))) {
                assertThat(taken(method, nginx::request)).containsExactly(method);
            }
        }
        try (Nginx nginx = Nginx.start(folder.resolve("GET"), List.of(first.port(), second.port()))) {
            assertThat(taken("GET", nginx::request)).containsExactly("GET", "GET");
        }
    }

    @Test
    void balancerRepeatsReadsOnly() throws Exception {
        try (Balancer balancer = Balancer.start(folder, first.port(), second.port())) {
            for (String method : List.of("PUT", "POST", "DELETE")) {
                assertThat(taken(method, balancer::request)).containsExactly(method);
            }
            assertThat(taken("GET", balancer::request)).contains("GET").hasSizeGreaterThan(1);
        }
    }

    /** Sends one request, and returns the methods of the requests that the servers read for it. */
    private List<String> taken(String method, Function<String, HttpRequest.Builder> proxy) throws Exception {
        BodyPublisher body = method.equals("PUT") || method.equals("POST")
                ? BodyPublishers.ofString("{\"reason\": \"a test\"}")
                : BodyPublishers.noBody();
        // A proxy closes the connection of a failed request: each has its own.
        try (HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            assertThat(http.send(proxy.apply(PATH).method(method, body).build(), BodyHandlers.discarding())
                            .statusCode())
                    .as(method)
                    .isEqualTo(502);
        }
        return Stream.of(first, second)
                .map(SilentServer::take)
                .flatMap(List::stream)
                .toList();
    }
}
