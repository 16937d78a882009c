package dev.offsetd.server.operations.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okio.Buffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.env.Environment;

/** Spans are sent to the configured collector, and not at all without one. */
class TracingIntegrationTests {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String TRACEPARENT = "00-" + TRACE + "-b7ad6b7169203331-01";

    @TempDir
    private Path folder;

    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private HttpServer collector;
    private MockWebServer upstream;

    @BeforeEach
    void start() throws IOException {
        collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            synchronized (received) {
                exchange.getRequestBody().transferTo(received);
                received.notifyAll();
            }
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        upstream = new MockWebServer();
        upstream.enqueue(new MockResponse.Builder()
                .code(200)
                .body(new Buffer().write(SmallBuild.debugFile()))
                .build());
        upstream.start();
    }

    @AfterEach
    void stop() {
        collector.stop(0);
        upstream.close();
    }

    private TestServer server(String... properties) {
        String[] all = new String[properties.length + 1];
        all[0] = "offsetd.upstreams.urls=" + upstream.url("/");
        System.arraycopy(properties, 0, all, 1, properties.length);
        return TestServer.start(folder.resolve("data"), TestDatabase.create(), all);
    }

    /** Returns what the collector received, as text. Protocol buffers store names as plain UTF-8. */
    private String received() {
        synchronized (received) {
            return received.toString(StandardCharsets.ISO_8859_1);
        }
    }

    /** Returns the {@code traceparent} that the upstream received, or {@code none}. */
    private String traceparentOfTheFetch() throws InterruptedException {
        RecordedRequest fetch = Objects.requireNonNull(upstream.takeRequest(60, TimeUnit.SECONDS), "no fetch");
        return Objects.requireNonNullElse(fetch.getHeaders().get("traceparent"), "none");
    }

    @Test
    void spanOfARequestArrivesWithItsRouteAndReachesTheUpstream() throws Exception {
        try (TestServer server = server(
                "management.opentelemetry.tracing.export.otlp.endpoint=http://127.0.0.1:"
                        + collector.getAddress().getPort() + "/v1/traces",
                "management.opentelemetry.tracing.export.schedule-delay=50ms")) {
            assertThat(server.offsets(SmallBuild.ID, "point", "traceparent", TRACEPARENT)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(traceparentOfTheFetch()).startsWith("00-" + TRACE + "-");
            assertThat(Scrape.of(server).labels().keySet())
                    .as("spans have no meters of their own")
                    .noneMatch(name -> name.contains("spans") || name.contains("upstream_request"));
        }
        // The server flushes the remaining spans when it stops.
        assertThat(received())
                .contains("/v1/offsets/{buildId}", "debuginfod GET")
                .contains(new String(HexFormat.of().parseHex(TRACE), StandardCharsets.ISO_8859_1));
    }

    @Test
    @ChecklistRow(44)
    void noSpanHasAToken() throws Exception {
        String token = "offsetd_" + "Ab0_-".repeat(10).substring(1);
        try (TestServer server = server(
                "management.opentelemetry.tracing.export.otlp.endpoint=http://127.0.0.1:"
                        + collector.getAddress().getPort() + "/v1/traces",
                "management.opentelemetry.tracing.export.schedule-delay=50ms")) {
            for (String path : List.of("/T/" + token + "/v1/pins", "/v1/builds/" + token, "/v1/pins/" + token)) {
                assertThat(server.get(path, "traceparent", TRACEPARENT).statusCode())
                        .as(path)
                        .isBetween(400, 499);
            }
            Observation failed = Observation.start("http.server.spans", server.bean(ObservationRegistry.class));
            failed.error(new IllegalStateException("GET /t/" + token));
            failed.stop();
        }
        assertThat(received()).contains("hidden").doesNotContain(token);
    }

    @Test
    void withoutAnAddressNothingIsTracedOrSent() throws Exception {
        try (TestServer server = server("management.opentelemetry.tracing.export.otlp.endpoint=")) {
            server.offsets(SmallBuild.ID, "point", "traceparent", TRACEPARENT);
            assertThat(traceparentOfTheFetch()).isEqualTo("none");
            assertThat(server.bean(Tracer.class)).isSameAs(Tracer.NOOP);
            assertThat(Observation.start("http.server.spans", server.bean(ObservationRegistry.class))
                            .isNoop())
                    .isTrue();
        }
        assertThat(received()).isEmpty();
    }

    @Test
    void separateMetricsPortIsOnTheServersAddress() throws IOException {
        int port = FreePort.any();
        try (TestServer server = server("management.server.port=" + port)) {
            assertThat(server.get("/metrics").statusCode()).isEqualTo(404);
            try (InputStream metrics =
                    URI.create("http://127.0.0.1:" + port + "/metrics").toURL().openStream()) {
                assertThat(new String(metrics.readAllBytes(), StandardCharsets.UTF_8))
                        .contains("disk_free_bytes ");
            }
            assertThat(server.bean(Environment.class).getProperty("management.server.address"))
                    .isEqualTo("127.0.0.1");
        }
    }
}
