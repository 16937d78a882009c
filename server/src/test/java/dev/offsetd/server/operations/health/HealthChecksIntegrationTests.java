package dev.offsetd.server.operations.health;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Health checks and heartbeats stay responsive when requests and extractions exhaust their threads. */
@Timeout(120)
class HealthChecksIntegrationTests {

    /** Time limit for a check on a busy machine. Without dedicated threads, checks would never be answered. */
    private static final int TIMEOUT_MILLIS = 10_000;

    @TempDir
    private static Path folder;

    private static final GatedUpstream UPSTREAM = new GatedUpstream(SmallBuild.debugFile());

    private static TestDatabase database;
    private static TestServer server;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        server = TestServer.start(
                folder,
                database,
                "offsetd.upstreams.urls=" + UPSTREAM.url(),
                "offsetd.upstreams.headers-timeout=60s",
                "offsetd.lease.duration=3s",
                "offsetd.lease.heartbeat=500ms");
    }

    @AfterAll
    static void stop() {
        server.close();
        UPSTREAM.close();
    }

    /** Tasks that never yield, on more virtual threads than there are carrier threads. */
    private static final class Hogs implements AutoCloseable {

        private final AtomicBoolean running = new AtomicBoolean(true);

        Hogs() throws InterruptedException {
            int carriers = Runtime.getRuntime().availableProcessors();
            CountDownLatch taken = new CountDownLatch(carriers);
            for (int i = 0; i < 2 * carriers; i++) {
                Thread.ofVirtual().start(() -> {
                    taken.countDown();
                    while (running.get()) {
                        Thread.onSpinWait();
                    }
                });
            }
            taken.await();
        }

        @Override
        public void close() {
            running.set(false);
        }
    }

    /** Sends a request verbatim and returns the response, or empty text after the time limit. */
    private static String raw(String request, int timeoutMillis) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(timeoutMillis);
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.US_ASCII));
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (SocketTimeoutException e) {
            return "";
        }
    }

    private static String check(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    }

    @Test
    @ChecklistRow(36)
    void checksAreAnsweredAndLeasesRenewedWhileEveryCarrierAndConnectionIsTaken() throws Exception {
        var call = Thread.ofPlatform().start(() -> server.offsets(SmallBuild.ID, "point", "Prefer", "wait=0"));
        call.join();
        while (UPSTREAM.hits() == 0) {
            Thread.sleep(20);
        }
        HikariDataSource pool = server.bean(HikariDataSource.class);
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                taken.add(pool.getConnection());
            }
            try (Hogs _ = new Hogs()) {
                OffsetDateTime first = leaseUntil();
                assertThat(raw("GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 1000))
                        .as("other requests have no thread to run on")
                        .isEmpty();
                for (int i = 0; i < 5 || !leaseUntil().isAfter(first); i++) {
                    assertThat(raw(check("/livez"), TIMEOUT_MILLIS)).contains("200", "{\"status\":\"up\"}");
                    assertThat(raw(check("/readyz"), TIMEOUT_MILLIS)).contains("200", "{\"status\":\"up\"}");
                    Thread.sleep(800);
                }
                assertThat(database.jdbc()
                                .sql("select count(*) from extraction_lease where owner is not null and attempt = 1")
                                .query(Long.class)
                                .single())
                        .isEqualTo(1);
            }
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
            UPSTREAM.open();
        }
    }

    private static OffsetDateTime leaseUntil() {
        return database.jdbc()
                .sql("select lease_until from extraction_lease")
                .query(OffsetDateTime.class)
                .single();
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "application/cbor", "text/html", "*/*;q=0", "not a media type"})
    void checksAreJsonWhateverTheClientAccepts(String accept) {
        for (String path : HealthValve.PATHS) {
            HttpResponse<String> response = server.get(path, "Accept", accept);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
            assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
            assertThat(response.body()).isEqualTo("{\"status\":\"up\"}");
        }
    }

    @Test
    void headHasTheHeadersOfGet() {
        HttpResponse<String> response = server.head("/livez");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Length")).hasValue("15");
        assertThat(response.body()).isEmpty();
    }

    /** A request that could block its thread on the client is served by the regular request threads. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n",
                "GET /livez HTTP/1.1\r\nHost: x\r\n",
                "GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n"
            })
    void clientsThatSendMoreOrLessThanACheckDelayNoOther(String request) throws Exception {
        List<Socket> waiting = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
                waiting.add(socket);
                socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(raw(check("/livez"), TIMEOUT_MILLIS)).contains("200", "{\"status\":\"up\"}");
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }
}
