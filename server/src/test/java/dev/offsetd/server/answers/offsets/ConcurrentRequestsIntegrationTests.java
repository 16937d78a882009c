package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Concurrent requests for a build share one fetch and extraction. */
@Timeout(120)
class ConcurrentRequestsIntegrationTests {

    private static final int CALLERS = 100;

    @TempDir
    private Path folder;

    @Test
    @ChecklistRow(11)
    void hundredFirstRequestsAreOneDownloadAndAHundredEqualAnswers() throws Exception {
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = start("a", TestDatabase.create(), upstream)) {
            List<HttpResponse<String>> answers = askFrom(List.of(server), CALLERS, upstream);
            assertThat(answers).hasSize(CALLERS).allMatch(answer -> answer.statusCode() == 200);
            assertThat(answers.stream().map(HttpResponse::body).distinct()).hasSize(1);
            assertThat(upstream.hits()).isEqualTo(1);
        }
    }

    @Test
    @ChecklistRow(12)
    void threeServersOnOneDatabaseAskOnce() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer a = start("a", database, upstream);
                TestServer b = start("b", database, upstream);
                TestServer c = start("c", database, upstream)) {
            List<HttpResponse<String>> answers = askFrom(List.of(a, b, c), CALLERS, upstream);
            assertThat(answers).hasSize(3 * CALLERS).allMatch(answer -> answer.statusCode() == 200);
            assertThat(answers.stream().map(HttpResponse::body).distinct()).hasSize(1);
            assertThat(upstream.hits()).isEqualTo(1);
        }
    }

    @Test
    @ChecklistRow({11, 12})
    void threeServersShareAFailureAndItsMoment() throws Exception {
        TestDatabase database = TestDatabase.create();
        // The file belongs to another build, and the failure expires at once, so only callers that wait together share
        // it.
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile(SmallBuild.UNKNOWN_ID));
                TestServer a = start("a", database, upstream, "offsetd.extraction.retry.failed=1ms");
                TestServer b = start("b", database, upstream, "offsetd.extraction.retry.failed=1ms");
                TestServer c = start("c", database, upstream, "offsetd.extraction.retry.failed=1ms")) {
            List<HttpResponse<String>> answers = askFrom(List.of(a, b, c), CALLERS, upstream);
            assertThat(answers).hasSize(3 * CALLERS).allMatch(answer -> answer.statusCode() == 502);
            assertThat(answers.stream()
                            .map(answer -> Json.of(answer).path("detail").asString())
                            .distinct())
                    .hasSize(1);
            assertThat(upstream.hits()).isEqualTo(1);
        }
    }

    @Test
    @ChecklistRow(18)
    void workThatHangsHoldsNoConnection() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = start(
                        "a",
                        TestDatabase.create(),
                        upstream,
                        "offsetd.local-folders=" + folder.resolve("debug"),
                        "offsetd.upstreams.max-concurrent-per-host=8",
                        "spring.datasource.hikari.maximum-pool-size=2")) {
            for (int i = 0; i < 8; i++) {
                assertThat(server.offsets("%02x".formatted(i).repeat(20), "point", "Prefer", "wait=0")
                                .statusCode())
                        .isEqualTo(202);
            }
            while (upstream.hits() < 8) {
                Thread.sleep(20);
            }
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            assertThat(server.offsets(SmallBuild.ID, "line").statusCode()).isEqualTo(200);
            assertThat(Json.of(server.get("/readyz")).has("degraded")).isFalse();
        }
    }

    @Test
    @ChecklistRow(13)
    void callersThatGiveUpStopNothing() throws Exception {
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = start("a", TestDatabase.create(), upstream);
                HttpClient impatient = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create(server.url() + "/v1/offsets/" + SmallBuild.ID + "?types=point"))
                    .build();
            List<CompletableFuture<HttpResponse<String>>> calls = new ArrayList<>();
            for (int i = 0; i < CALLERS - 1; i++) {
                calls.add(impatient.sendAsync(request, BodyHandlers.ofString()));
            }
            awaitHit(upstream);
            calls.forEach(call -> call.cancel(true));
            upstream.open();
            HttpResponse<String> answer = server.offsets(SmallBuild.ID, "point", "Prefer", "wait=30");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(upstream.hits()).isEqualTo(1);
        }
    }

    @Test
    void queueIsBoundedAndStoredBuildsAnswerAllTheSame() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = start(
                        "a",
                        TestDatabase.create(),
                        upstream,
                        "offsetd.local-folders=" + folder.resolve("debug"),
                        "offsetd.extraction.max-concurrent=1",
                        "offsetd.extraction.max-waiting=3")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            assertThat(server.offsets("aa".repeat(20), "point", "Prefer", "wait=0")
                            .statusCode())
                    .isEqualTo(202);
            assertThat(server.offsets("bb".repeat(20), "point", "Prefer", "wait=0")
                            .statusCode())
                    .isEqualTo(202);
            // One client has half of the places.
            HttpResponse<String> third = server.offsets("cc".repeat(20), "point", "Prefer", "wait=0");
            assertThat(third.statusCode()).isEqualTo(503);
            assertThat(Json.of(third).path("code").asString()).isEqualTo("busy");
            assertThat(third.headers().firstValue("Retry-After")).isPresent();
            assertThat(server.offsets(SmallBuild.ID, "line").statusCode()).isEqualTo(200);
            // Further requests for a build that is being extracted start no more work.
            assertThat(server.offsets("aa".repeat(20), "line", "Prefer", "wait=0")
                            .statusCode())
                    .isEqualTo(202);
        }
    }

    private TestServer start(String name, TestDatabase database, GatedUpstream upstream, String... properties) {
        String[] all = new String[properties.length + 3];
        all[0] = "offsetd.upstreams.urls=" + upstream.url();
        all[1] = "offsetd.upstreams.headers-timeout=60s";
        // On a busy machine, hundreds of first callers do not get one of the few connections in 1.5 s, and are answered
        // 503.
        all[2] = "spring.datasource.hikari.connection-timeout=30000";
        System.arraycopy(properties, 0, all, 3, properties.length);
        return TestServer.start(folder.resolve(name), database, all);
    }

    /** Sends requests to every server at once, and opens the gate when all of them wait for the same extraction. */
    private static List<HttpResponse<String>> askFrom(List<TestServer> servers, int callers, GatedUpstream upstream)
            throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<HttpResponse<String>>> calls = new ArrayList<>();
            for (TestServer server : servers) {
                for (int i = 0; i < callers; i++) {
                    calls.add(
                            threads.submit(() -> server.offsets(SmallBuild.ID, "point,line.to", "Prefer", "wait=30")));
                }
            }
            awaitHit(upstream);
            while (sharing(servers) < servers.size() * (callers - 1)) {
                for (Future<HttpResponse<String>> call : calls) {
                    // A call that failed, such as for want of a database connection, is never counted.
                    assertThat(call.state())
                            .as(() -> "a call that ended before the gate was opened: " + ended(call))
                            .isEqualTo(Future.State.RUNNING);
                }
                Thread.sleep(20);
            }
            upstream.open();
            List<HttpResponse<String>> answers = new ArrayList<>();
            for (Future<HttpResponse<String>> call : calls) {
                answers.add(call.get());
            }
            return answers;
        }
    }

    private static String ended(Future<HttpResponse<String>> call) {
        return call.state() == Future.State.SUCCESS
                ? call.resultNow().statusCode() + " " + call.resultNow().body()
                : String.valueOf(call.exceptionNow());
    }

    private static double sharing(List<TestServer> servers) {
        return servers.stream()
                .mapToDouble(server -> server.bean(MeterRegistry.class)
                        .get("offsetd.extraction.coalesced")
                        .counter()
                        .count())
                .sum();
    }

    private static void awaitHit(GatedUpstream upstream) throws InterruptedException {
        while (upstream.hits() == 0) {
            Thread.sleep(20);
        }
    }
}
