package dev.offsetd.server.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.fetch.FaultServer;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What callers hear of upstreams that fail, and what is remembered of it. */
class UpstreamFaultsIntegrationTests {

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
        return TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.upstreams.urls="
                        + String.join(
                                ",", List.of(modes).stream().map(upstream::url).toList()),
                "offsetd.upstreams.headers-timeout=500ms",
                "offsetd.upstreams.stall-timeout=500ms",
                // A failure is forgotten at once, so that a test need not wait to ask again.
                "offsetd.extraction.retry.failed=1ms",
                "offsetd.extraction.retry.max-refused=1ms");
    }

    // Every way in which an upstream fails is tried on the client itself; here, one of each kind of outcome.
    @ParameterizedTest
    @CsvSource({
        "500, 502, upstream_refused",
        "429, 502, upstream_refused",
        "wrongid, 502, upstream_broken",
        "text200, 502, upstream_broken",
        "trunc_cl, 502, upstream_broken",
        "hang, 504, upstream_silent",
        "stall, 504, upstream_silent"
    })
    void failureIsNeverAMissAndIsNotRemembered(String mode, int status, String code) {
        try (TestServer server = server(mode)) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
            JsonNode problem = Json.of(response);
            assertThat(problem.path("code").asString()).isEqualTo(code);
            assertThat(problem.path("checked").get(0).path("source").asString()).isEqualTo(upstream.url(mode));
            assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
            int asked = upstream.hits(mode);
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(status);
            assertThat(upstream.hits(mode)).isGreaterThan(asked);
        }
        assertThat(database.jdbc()
                        .sql("select count(*) from source_outcomes where outcome = 'not_found'")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"404", "500", "wrongid", "hang"})
    void nextSourceIsStillAsked(String mode) {
        try (TestServer server = server(mode, "ok")) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(Json.of(response)
                            .path("provenance")
                            .path("p1")
                            .path("upstream")
                            .asString())
                    .isEqualTo(upstream.url("ok"));
        }
    }

    @Test
    void noFromOneSourceDoesNotHideTheFailureOfAnother() {
        try (TestServer server = server("404", "500")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(502);
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
            // An elfutils server says 404 for its own upstreams' failures too: the shortest time of the ladder.
            assertThat(problem.path("retryAfter").asInt()).isBetween(100, 120);
            assertThat(response.headers().firstValue("Cache-Control")).hasValue("public, max-age=60");
            assertThat(server.offsets(SmallBuild.ID, "line").statusCode()).isEqualTo(404);
            assertThat(upstream.hits("404")).isEqualTo(1);
            assertThat(Json.of(server.get("/v1/builds/" + SmallBuild.ID))
                            .path("state")
                            .asString())
                    .isEqualTo("not_found");
        }
    }

    @Test
    void missIsAskedAgainWhenItsTimeHasCome() {
        try (TestServer server = server("404")) {
            server.offsets(SmallBuild.ID, "point");
            database.jdbc().sql("update builds set retry_at = now()").update();
            database.jdbc().sql("update source_outcomes set retry_at = now()").update();
            assertThat(Json.of(server.offsets(SmallBuild.ID, "point"))
                            .path("retryAfter")
                            .asInt())
                    .as("the second miss waits longer than the first")
                    .isBetween(500, 600);
            assertThat(upstream.hits("404")).isEqualTo(2);
        }
    }

    @Test
    void sourceThatIsNewIsAskedThoughTheOthersHaveSaidNo() {
        try (TestServer server = server("404")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(404);
        }
        try (TestServer server = server("404", "ok")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            assertThat(upstream.hits("404")).as("its no still holds").isEqualTo(1);
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
