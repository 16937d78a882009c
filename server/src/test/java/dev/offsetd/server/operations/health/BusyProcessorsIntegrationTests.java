package dev.offsetd.server.operations.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work that computes leaves threads for requests, and a server without any ends. */
@Timeout(180)
class BusyProcessorsIntegrationTests {

    private static final int REQUESTS = 40;

    /** A request that needs a slot waits for ten seconds. */
    private static final Duration AT_ONCE = Duration.ofMillis(100);

    /** Other programs share the processors with the test, for some seconds. */
    private static final int ROUNDS = 20;

    @TempDir
    private Path folder;

    /** A request to upgrade to HTTP/2 would not be recognized as a health check. */
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static HttpRequest request(ServerProcess server, String pathAndQuery) {
        return HttpRequest.newBuilder(URI.create(server.url() + pathAndQuery))
                .timeout(Duration.ofSeconds(30))
                .build();
    }

    private HttpResponse<String> get(ServerProcess server, String pathAndQuery) throws Exception {
        return http.send(request(server, pathAndQuery), BodyHandlers.ofString());
    }

    private ServerProcess start(Map<String, String> more, String... jvmOptions) throws Exception {
        return start(TestDatabase.create(), more, jvmOptions);
    }

    private ServerProcess start(TestDatabase database, Map<String, String> more, String... jvmOptions)
            throws Exception {
        Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
        environment.putAll(more);
        return ServerProcess.startWithFaults(
                folder.resolve("data"), folder.resolve("server.log"), environment, jvmOptions);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @ChecklistRow(36)
    void storedBuildsAnswerAtOnceWhileEverySlotComputesForEver(int processors) throws Exception {
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile())) {
            upstream.open();
            try (ServerProcess server =
                    start(Map.of("DEBUGINFOD_URLS", upstream.url()), "-XX:ActiveProcessorCount=" + processors)) {
                String path = "/v1/offsets/" + SmallBuild.ID + "?types=";
                assertThat(get(server, path + "point").statusCode()).isEqualTo(200);
                assertThat(get(server, "/version?fault=compute").statusCode()).isEqualTo(200);

                boolean atOnce = false;
                for (int round = 0; round < ROUNDS && !atOnce; round++) {
                    atOnce = answersAtOnce(server, path, round);
                }
                assertThat(atOnce)
                        .as("half of the answers come within " + AT_ONCE)
                        .isTrue();
                assertThat(get(server, "/readyz").statusCode()).isEqualTo(200);

                // The slots stay taken.
                assertThat(get(server, "/version?fault=rest").statusCode()).isEqualTo(200);
                HttpResponse<String> large = get(server, "/v1/builds/" + SmallBuild.ID + "/types?q=po");
                assertThat(large.statusCode()).as(large.body()).isEqualTo(503);
                HttpResponse<String> alternatives = get(server, path + "none%7C".repeat(20) + "point");
                assertThat(alternatives.statusCode())
                        .as("each alternative is looked up like an item: " + alternatives.body())
                        .isEqualTo(503);
            }
        }
    }

    /** Whether half of the cached and half of the other answers come at once. */
    private boolean answersAtOnce(ServerProcess server, String path, int round) throws Exception {
        List<Duration> cached = new ArrayList<>();
        List<Duration> uncached = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            String items = i % 2 == 0 ? "point" : "point,none_%d_%d".formatted(round, i);
            long began = System.nanoTime();
            HttpResponse<String> answer = get(server, path + items);
            (i % 2 == 0 ? cached : uncached).add(Duration.ofNanos(System.nanoTime() - began));
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        }
        Collections.sort(cached);
        Collections.sort(uncached);
        return cached.get(REQUESTS / 4).compareTo(AT_ONCE) < 0
                && uncached.get(REQUESTS / 4).compareTo(AT_ONCE) < 0;
    }

    @Test
    @ChecklistRow({35, 36})
    void processWithoutACarrierForRequestsIsUnreadyAndThenEndsWithItsThreadsInTheLog() throws Exception {
        try (ServerProcess server =
                start(Map.of("OFFSETD_WATCH_UNREADYAFTER", "2s", "OFFSETD_WATCH_ENDAFTER", "15s"))) {
            // Its answer finds no carrier.
            var _ = http.sendAsync(request(server, "/version?fault=carriers"), BodyHandlers.ofString());
            HttpResponse<String> readiness = get(server, "/readyz");
            while (readiness.statusCode() == 200) {
                Thread.sleep(100);
                readiness = get(server, "/readyz");
            }
            assertThat(readiness.statusCode()).isEqualTo(503);
            assertThat(readiness.body()).contains("not_ready", "no request has run for");
            assertThat(get(server, "/livez").statusCode()).isEqualTo(200);

            assertThat(server.process().waitFor(60, TimeUnit.SECONDS))
                    .as(server.output())
                    .isTrue();

            assertThat(server.process().exitValue()).as(server.output()).isEqualTo(FatalErrors.EXIT_CODE);
            assertThat(server.output()).contains("offsetd: fatal: no request has run for", "hog", "Faults.spin");
        }
    }

    /** The build does not take the carriers itself, but is being read when something does. */
    @Test
    @ChecklistRow({35, 36})
    void buildThatIsReadWhenAProcessEndsForWantOfCarriersIsPausedOnTheOtherServersAndThenUnusable() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer other = TestServer.start(
                        folder.resolve("other"), database, "offsetd.upstreams.urls=" + upstream.url())) {
            upstream.open();

            endWhileReading(database, upstream);
            HttpResponse<String> paused = other.offsets(SmallBuild.ID, "point");
            assertThat(paused.statusCode()).as(paused.body()).isEqualTo(503);
            assertThat(Json.of(paused).path("code").asString()).isEqualTo("server_ended");
            assertThat(paused.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(400L, 600L);
            assertThat(upstream.hits())
                    .as("only the process that ended has fetched it")
                    .isEqualTo(1);

            database.jdbc().sql("update builds set retry_at = now()").update();
            endWhileReading(database, upstream);
            assertThat(other.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(422);
            assertThat(database.jdbc()
                            .sql("select state::text from builds")
                            .query(String.class)
                            .list())
                    .containsExactly("unusable");
        }
    }

    /** Starts a process that reads the build until it ends itself. */
    private void endWhileReading(TestDatabase database, GatedUpstream upstream) throws Exception {
        Map<String, String> environment = Map.of(
                "DEBUGINFOD_URLS", upstream.url(),
                "OFFSETD_EXTRACTION_ANSWERUNSTOREDFROM", "0B",
                "OFFSETD_WATCH_UNREADYAFTER", "2s",
                "OFFSETD_WATCH_ENDAFTER", "4s");
        try (ServerProcess server = start(database, environment)) {
            assertThat(get(server, "/version?fault=read").statusCode()).isEqualTo(200);
            while (!isRead(database)) {
                Thread.sleep(50);
            }
            var _ = http.sendAsync(request(server, "/version?fault=carriers"), BodyHandlers.ofString());
            assertThat(server.process().waitFor(60, TimeUnit.SECONDS))
                    .as(server.output())
                    .isTrue();
            assertThat(server.process().exitValue()).as(server.output()).isEqualTo(FatalErrors.EXIT_CODE);
            assertThat(server.output()).contains("count a failed attempt: [" + SmallBuild.ID + "]");
        }
    }

    private static boolean isRead(TestDatabase database) {
        return database.jdbc()
                .sql("select exists (select from extraction_lease where phase = 'extracting' and owner is not null)")
                .query(Boolean.class)
                .single();
    }

    @Test
    @ChecklistRow(36)
    void timeInWhichTheProcessWasSuspendedDoesNotCount() throws Exception {
        try (ServerProcess server = start(Map.of("OFFSETD_WATCH_UNREADYAFTER", "3s", "OFFSETD_WATCH_ENDAFTER", "3s"))) {
            server.signal("STOP");
            Thread.sleep(Duration.ofSeconds(5));
            server.signal("CONT");
            assertThat(get(server, "/readyz").statusCode()).isEqualTo(200);
            Thread.sleep(Duration.ofSeconds(2));
            assertThat(server.process().isAlive()).as(server.output()).isTrue();
        }
    }
}
