package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
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
        TestDatabase database = TestDatabase.create();
        TestServer first =
                TestServer.start(folder.resolve("1"), database, "offsetd.offline=true", "offsetd.drain-delay=6s");
        try (TestServer second = TestServer.start(folder.resolve("2"), database, "offsetd.offline=true");
                ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            try (Balancer balancer = Balancer.start(folder, first.port(), second.port())) {
                for (int i = 0; i < 4; i++) {
                    callers.execute(() -> ask(balancer));
                }
                awaitAnswers(200);

                first.close();

                awaitAnswers(answers.get() + 200);
                assertThat(balancer.isReady()).isTrue();
                asking.set(false);
            } finally {
                asking.set(false);
            }
        } finally {
            first.close();
        }
        assertThat(failures).isEmpty();
    }

    /** Asks as callers do, by what may be sent again after a failure and by what may not. */
    private void ask(Balancer balancer) {
        HttpRequest get = balancer.request("/v1/type-sets")
                .header("X-Forwarded-For", "192.0.2.1")
                .build();
        HttpRequest post = balancer.request("/v1/offsets/" + BUILD)
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

    private void awaitAnswers(int count) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (answers.get() < count) {
            assertThat(System.nanoTime()).as("time for " + count + " answers").isLessThan(end);
            Thread.sleep(20);
        }
    }
}
