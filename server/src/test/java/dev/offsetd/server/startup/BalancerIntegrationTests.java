package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers behind HAProxy, with the configuration that docker-compose.yml gives it. */
class BalancerIntegrationTests {

    private static final Path CONFIGURATION = Path.of("..", "packaging", "haproxy.cfg");
    private static final String BUILD = "00112233445566778899aabbccddeeff00112233";

    @TempDir
    private Path folder;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AtomicBoolean asking = new AtomicBoolean(true);
    private final AtomicInteger answers = new AtomicInteger();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    @Test
    void serverThatStopsLosesNoRequest() throws Exception {
        Path haproxy = RequiredTool.require("haproxy").path();
        TestDatabase database = TestDatabase.create();
        int port = freePort();
        int healthPort = freePort();
        TestServer first =
                TestServer.start(folder.resolve("1"), database, "offsetd.offline=true", "offsetd.drain-delay=2s");
        try (TestServer second = TestServer.start(folder.resolve("2"), database, "offsetd.offline=true");
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            Process balancer = start(haproxy, port, healthPort, first, second);
            try {
                awaitReady(balancer, healthPort);
                for (int i = 0; i < 4; i++) {
                    callers.execute(() -> ask("http://127.0.0.1:" + port));
                }
                awaitAnswers(200);

                first.close();

                awaitAnswers(answers.get() + 200);
                assertThat(get(healthPort, "/readyz")).isEqualTo(200);
            } finally {
                asking.set(false);
                balancer.destroyForcibly().waitFor();
            }
        } finally {
            first.close();
        }
        assertThat(failures).isEmpty();
    }

    /** Asks as callers do, by what may be sent again after a failure and by what may not. */
    private void ask(String url) {
        HttpRequest get = HttpRequest.newBuilder(URI.create(url + "/v1/type-sets"))
                .header("X-Forwarded-For", "192.0.2.1")
                .build();
        HttpRequest post = HttpRequest.newBuilder(URI.create(url + "/v1/offsets/" + BUILD))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("[\"malloc_state\"]"))
                .build();
        while (asking.get()) {
            expect(get, 200);
            expect(post, 404);
        }
    }

    private void expect(HttpRequest request, int status) {
        try {
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() != status) {
                failures.add(request + ": " + response.statusCode() + " " + response.body());
            }
        } catch (IOException e) {
            if (asking.get()) {
                failures.add(request + ": " + e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        answers.incrementAndGet();
    }

    private Process start(Path haproxy, int port, int healthPort, TestServer first, TestServer second)
            throws IOException {
        ProcessBuilder command = new ProcessBuilder(haproxy.toString(), "-W", "-db", "-f", CONFIGURATION.toString());
        command.environment()
                .putAll(Map.of(
                        "BALANCER_LISTEN", "127.0.0.1:" + port,
                        "BALANCER_HEALTH", "127.0.0.1:" + healthPort,
                        "OFFSETD_1", "127.0.0.1:" + first.port(),
                        "OFFSETD_2", "127.0.0.1:" + second.port()));
        return command.redirectErrorStream(true).redirectOutput(log().toFile()).start();
    }

    private Path log() {
        return folder.resolve("haproxy.log");
    }

    private void awaitReady(Process balancer, int healthPort) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (get(healthPort, "/readyz") != 200) {
            assertThat(balancer.isAlive()).as(Files.readString(log())).isTrue();
            assertThat(System.nanoTime()).as(Files.readString(log())).isLessThan(end);
            Thread.sleep(50);
        }
    }

    private void awaitAnswers(int count) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (answers.get() < count) {
            assertThat(System.nanoTime()).as("time for " + count + " answers").isLessThan(end);
            Thread.sleep(20);
        }
    }

    /** A status, or 0 without any answer. */
    private int get(int port, String path) throws InterruptedException {
        try {
            return http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }
}
