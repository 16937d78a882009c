package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.Fault;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.sources.UpstreamHealth;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Responses and stored outcomes when upstreams fail. */
class UpstreamFaultsIntegrationTests {

    /** Requests to a source that has nothing: for the debug file, and for the executable of a program that describes its types. */
    private static final int REQUESTS_OF_A_MISS = 2;

    private static final Duration PATIENT = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private FaultServer upstream;
    private TestDatabase database;

    @BeforeEach
    void start() {
        upstream = FaultServer.serving(SmallBuild.debugFile(), SmallBuild.debugFile(SmallBuild.UNKNOWN_ID));
        database = TestDatabase.create();
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    private TestServer server(String... modes) {
        return serverWith(List.of("offsetd.upstreams.breaker.failures=1000"), modes);
    }

    private TestServer serverWith(List<String> properties, String... modes) {
        return serverWith(PATIENT, properties, modes);
    }

    /** @param timeout of the first upstream; the others have time on a busy machine */
    private TestServer serverWith(Duration timeout, List<String> properties, String... modes) {
        List<String> all = new ArrayList<>(List.of(
                "offsetd.upstreams.urls=",
                "offsetd.upstreams.headers-timeout=" + PATIENT,
                // Failures expire at once, so that a test can repeat its request without waiting.
                "offsetd.extraction.retry.failed=1ms",
                "offsetd.upstreams.max-retry-after=1ms"));
        for (int i = 0; i < modes.length; i++) {
            all.add("offsetd.upstreams.servers[%d].url=%s".formatted(i, upstream.url(modes[i])));
        }
        if (modes.length > 0) {
            all.add("offsetd.upstreams.servers[0].headers-timeout=" + timeout);
            all.add("offsetd.upstreams.servers[0].stall-timeout=" + timeout);
            all.add("offsetd.upstreams.servers[0].total-timeout=" + timeout.multipliedBy(2));
        }
        all.addAll(properties);
        return TestServer.start(folder.resolve("data"), database, all.toArray(String[]::new));
    }

    private static BuildId id(int number) {
        return BuildId.parse(String.format(Locale.ROOT, "%040x", 0xabcdef000000L + number));
    }

    /** No fault is reported as a miss, and the next upstream is still asked. */
    @ChecklistRow({6, 7, 8, 9, 10})
    @Test
    void failureIsNotAMissAndTheNextSourceIsQueried() throws Exception {
        List<String> faults = new ArrayList<>(List.of("400 401 403 429 451 500 502 503 504 206".split(" ")));
        faults.addAll(modes(Set.of(Fault.Taken.BROKEN, Fault.Taken.REFUSED)));
        faults.add(upstream.redirectingTo("http://169.254.169.254/latest"));
        faults.add(upstream.redirectingTo("http://[::1]:" + upstream.port() + "/ok"));
        // One at a time: an upstream that asks for a pause is not queried by the others meanwhile.
        assertNeverAMiss(faults, PATIENT, 502, 1);
    }

    /** The same for upstreams that exceed the time limit. */
    @ChecklistRow({6, 9})
    @Test
    void timeoutIsNotAMissAndTheNextSourceIsQueried() throws Exception {
        assertNeverAMiss(modes(Set.of(Fault.Taken.TIMED_OUT)), Duration.ofSeconds(3), 504, 8);
    }

    private static List<String> modes(Set<Fault.Taken> taken) {
        return Stream.of(Fault.values())
                .filter(fault -> taken.contains(fault.taken()))
                .map(Fault::mode)
                .toList();
    }

    /** @param atOnce requests at a time */
    private void assertNeverAMiss(List<String> faults, Duration timeout, int status, int atOnce) throws Exception {
        List<String> properties = List.of(
                "offsetd.upstreams.breaker.failures=1000", "offsetd.upstreams.max-concurrent-per-host=" + 4 * atOnce);
        try (TestServer server = serverWith(timeout, properties, "first", "second");
                ExecutorService callers = Executors.newFixedThreadPool(atOnce)) {
            List<Callable<Void>> calls = new ArrayList<>();
            for (int i = 0; i < faults.size(); i++) {
                String fault = faults.get(i);
                BuildId failing = id(2 * i);
                calls.add(() -> assertFailure(server, fault, failing, status));
                BuildId served = id(2 * i + 1);
                calls.add(() -> assertNextIsQueried(server, fault, served));
            }
            for (Future<Void> call : callers.invokeAll(calls)) {
                call.get();
            }
            int hits = upstream.hits("first", id(0));
            assertThat(server.offsets(id(0), "point", "Prefer", "wait=30").statusCode())
                    .isEqualTo(status);
            assertThat(upstream.hits("first", id(0)))
                    .as("nothing is remembered")
                    .isEqualTo(hits + 1);
        }
        assertThat(count("select count(*) from builds where state = 'not_found'"))
                .isZero();
        assertThat(count("select count(*) from source_outcomes where outcome = 'not_found' and source like '%/first/'"))
                .isZero();
    }

    private @Nullable Void assertFailure(TestServer server, String fault, BuildId failing, int status) {
        upstream.has(failing, SmallBuild.debugFile(failing));
        upstream.script("first", failing, fault);
        upstream.script("second", failing, "404");
        HttpResponse<String> response = server.offsets(failing, "point", "Prefer", "wait=30");
        assertThat(response.statusCode()).as("%s: %s", fault, response.body()).isEqualTo(status);
        assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(upstream.hits("second", failing)).isEqualTo(REQUESTS_OF_A_MISS);
        return null;
    }

    private @Nullable Void assertNextIsQueried(TestServer server, String fault, BuildId served) {
        upstream.has(served, SmallBuild.debugFile(served));
        upstream.script("first", served, fault);
        upstream.script("second", served, "ok");
        assertThat(server.offsets(served, "point", "Prefer", "wait=30").statusCode())
                .as(fault)
                .isEqualTo(200);
        return null;
    }

    private int count(String sql) {
        return database.jdbc().sql(sql).query(Integer.class).single();
    }

    /** While one upstream is down, a miss at the other one is reported as incomplete and retained briefly. */
    @ChecklistRow({9, 20})
    @Test
    void failingUpstreamIsSkippedAndMakesAMissIncomplete() {
        for (int i = 0; i < 10; i++) {
            upstream.script("first", id(i), i < 2 ? "hang" : "ok");
            upstream.script("second", id(i), i == 4 ? "500" : "404");
        }
        try (TestServer server = serverWith(
                Duration.ofMillis(1500),
                List.of(
                        "offsetd.upstreams.breaker.failures=2",
                        "offsetd.upstreams.breaker.open-for=40s",
                        "offsetd.extraction.retry.not-found-elsewhere=10m"),
                "first",
                "second")) {
            assertThat(server.offsets(id(0), "point").statusCode()).isEqualTo(504);
            assertThat(server.offsets(id(1), "point").statusCode()).isEqualTo(504);
            HttpResponse<String> miss = server.offsets(id(2), "point");
            assertThat(miss.statusCode()).as(miss.body()).isEqualTo(404);
            JsonNode problem = Json.of(miss);
            assertThat(problem.path("code").asString()).isEqualTo("build_not_found");
            assertThat(problem.path("cause").asString()).isEqualTo("incomplete");
            assertThat(problem.path("detail").asString()).contains("skipped", upstream.url("first"));
            assertThat(problem.path("checked").get(0).path("outcome").asString())
                    .isEqualTo("not_asked");
            assertThat(problem.path("checked").get(0).path("detail").asString()).contains("last failure: ");
            assertThat(problem.path("checked").get(1).path("outcome").asString())
                    .isEqualTo("not_found");
            assertThat(problem.path("retryAfter").asInt()).isBetween(1, 40);
            assertThat(upstream.hits("first", id(2))).isZero();

            // The retry time of the skipped upstream has passed, while the miss of the other one is still valid.
            database.jdbc().sql("update builds set retry_at = now()").update();
            assertThat(server.offsets(id(2), "point").statusCode()).isEqualTo(404);
            assertThat(upstream.hits("second", id(2))).isEqualTo(REQUESTS_OF_A_MISS);

            HttpResponse<String> inconclusive = server.offsets(id(4), "point");
            assertThat(inconclusive.statusCode()).as(inconclusive.body()).isEqualTo(502);

            assertThat(server.bean(DebugFileSources.class).health())
                    .extracting(UpstreamHealth::name, UpstreamHealth::breaker)
                    .containsExactly(
                            Assertions.tuple(upstream.url("first"), UpstreamHealth.BreakerState.OPEN),
                            Assertions.tuple(upstream.url("second"), UpstreamHealth.BreakerState.CLOSED));
        }
        try (TestServer again = serverWith(List.of(), "first", "second")) {
            database.jdbc().sql("update builds set retry_at = now()").update();
            upstream.has(id(2), SmallBuild.debugFile(id(2)));
            assertThat(again.offsets(id(2), "point").statusCode())
                    .as("it works again")
                    .isEqualTo(200);
        }
    }

    /**
     * A build that appears later. The retention of a miss depends on the kind and the configuration of its upstream.
     */
    @ChecklistRow(19)
    @Test
    void missesAreRememberedByUpstreamAndCause() {
        BuildId build = id(1);
        for (String name : List.of("authoritative", "federating", "ondemand", "own")) {
            upstream.script(name, build, "404");
        }
        upstream.script("gone", build, "410");
        try (TestServer server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.upstreams.servers[0].url=" + upstream.url("authoritative"),
                "offsetd.upstreams.servers[0].kind=authoritative",
                "offsetd.upstreams.servers[1].url=" + upstream.url("federating"),
                "offsetd.upstreams.servers[2].url=" + upstream.url("ondemand"),
                "offsetd.upstreams.servers[2].kind=on-demand",
                "offsetd.upstreams.servers[3].url=" + upstream.url("own"),
                "offsetd.upstreams.servers[3].not-found=7m,9m",
                "offsetd.upstreams.servers[4].url=" + upstream.url("gone"),
                "offsetd.upstreams.servers[5].url=" + upstream.url("off"),
                "offsetd.upstreams.servers[5].enabled=false")) {
            assertThat(minutesUntilRetry(server, build))
                    .containsEntry("authoritative", 10L)
                    .containsEntry("federating", 2L)
                    .containsEntry("ondemand", 2L)
                    .containsEntry("own", 7L)
                    .containsEntry("gone", 10L)
                    .doesNotContainKey("off");
            due();
            assertThat(minutesUntilRetry(server, build))
                    .containsEntry("authoritative", 30L)
                    .containsEntry("federating", 10L)
                    .containsEntry("ondemand", 5L)
                    .containsEntry("own", 9L);
            due();
            assertThat(minutesUntilRetry(server, build)).containsEntry("authoritative", 60L);
            due();
            assertThat(minutesUntilRetry(server, build)).containsEntry("authoritative", 24 * 60L);
            due();
            upstream.script("ondemand", build, "ok");
            upstream.has(build, SmallBuild.debugFile(build));
            assertThat(server.offsets(build, "point").statusCode()).isEqualTo(200);
        }
        assertThat(upstream.hits("off")).isZero();
    }

    private void due() {
        database.jdbc().sql("update builds set retry_at = now()").update();
        database.jdbc().sql("update source_outcomes set retry_at = now()").update();
    }

    /** Requests the build and returns how long each upstream's miss stays valid, rounded to minutes. */
    private static Map<String, Long> minutesUntilRetry(TestServer server, BuildId build) {
        HttpResponse<String> response = server.offsets(build, "point");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(404);
        assertThat(Json.of(response).path("cause").asString()).isEqualTo("not_found");
        Map<String, Long> minutes = new HashMap<>();
        Json.of(response)
                .path("checked")
                .valueStream()
                .forEach(checked -> minutes.put(
                        checked.path("source").asString().replaceAll(".*/(.*)/", "$1"),
                        Math.round(checked.path("retryAfter").asInt() / 60.0)));
        return minutes;
    }

    /** The server cannot tell whether the oversized file belongs to this build. */
    @Test
    void fileOfAnUpstreamThatIsTooLargeIsForgottenWithinMinutes() {
        try (TestServer server =
                serverWith(List.of("offsetd.upstreams.max-file-size=1MB"), Fault.OVERSIZE.mode(), "404")) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(422);
            assertThat(Json.of(response).path("code").asString()).isEqualTo("too_large");
            assertThat(count("select extract(epoch from max(retry_at) - now())::int from source_outcomes"
                            + " where outcome = 'unusable'"))
                    .isBetween(30, 600);
        }
    }

    @Test
    void everySourceSayingNoIsAMissThatIsRemembered() {
        try (TestServer server = server("404")) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).isEqualTo(404);
            JsonNode problem = Json.of(response);
            assertThat(problem.path("code").asString()).isEqualTo("build_not_found");
            assertThat(problem.path("cause").asString()).isEqualTo("not_found");
            assertThat(problem.path("checked").get(0).path("outcome").asString())
                    .isEqualTo("not_found");
            // An elfutils server also answers 404 when its own upstreams fail, so the shortest backoff step applies.
            assertThat(problem.path("retryAfter").asInt()).isBetween(100, 120);
            assertThat(response.headers().firstValue("Cache-Control")).hasValue("public, max-age=60");
            assertThat(server.offsets(SmallBuild.ID, "line").statusCode()).isEqualTo(404);
            assertThat(upstream.hits("404")).isEqualTo(REQUESTS_OF_A_MISS);
            assertThat(Json.of(server.get("/v1/builds/" + SmallBuild.ID))
                            .path("state")
                            .asString())
                    .isEqualTo("not_found");
        }
    }

    @Test
    void newSourceIsQueriedDespiteMissesOfTheOthers() {
        try (TestServer server = server("404")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(404);
        }
        try (TestServer server = server("404", "ok")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            assertThat(upstream.hits("404")).as("its no still holds").isEqualTo(REQUESTS_OF_A_MISS);
        }
    }

    @Test
    void withoutAnySourceNothingIsFoundAndTheCauseIsSaid() {
        try (TestServer server = server()) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(Json.of(response).path("cause").asString()).isEqualTo("no_sources");
            assertThat(Json.of(response).path("checked").size()).isZero();
        }
    }
}
