package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A debug file was found, is this build's, and cannot serve. */
class UnusableFilesIntegrationTests {

    @TempDir
    private Path folder;

    private TestServer server(TestDatabase database, String... properties) {
        String[] all = new String[properties.length + 1];
        all[0] = "offsetd.local-folders=" + folder.resolve("debug");
        System.arraycopy(properties, 0, all, 1, properties.length);
        return TestServer.start(folder.resolve("data"), database, all);
    }

    @Test
    void fileWithoutDebugInformationIsUnusableAndRemembered() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.withoutDebugInfo());
        TestDatabase database = TestDatabase.create();
        try (TestServer server = server(database, "offsetd.offline=true")) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(422);
            JsonNode problem = Json.of(response);
            assertThat(problem.path("code").asString()).isEqualTo("no_debuginfo");
            assertThat(problem.path("section").asString()).isEqualTo(".debug_info");
            assertThat(problem.path("retryAfter").asInt()).isGreaterThan(0);
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(422);
            assertThat(Json.of(server.get("/v1/builds/" + SmallBuild.ID))
                            .path("state")
                            .asString())
                    .isEqualTo("unusable");
            assertThat(count(database, "catalogues")).isZero();
        }
    }

    @Test
    void malformedFileNamesSectionAndOffset() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.malformed());
        try (TestServer server = server(TestDatabase.create(), "offsetd.offline=true")) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(422);
            JsonNode problem = Json.of(response);
            assertThat(problem.path("section").asString()).isEqualTo(".debug_info");
            assertThat(problem.path("offset").asInt()).isEqualTo(4);
            assertThat(problem.path("detail").asString()).contains(".debug_info+0x4", "99");
        }
    }

    @Test
    void sourceWithABetterFileIsQueriedFirst() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.withoutDebugInfo());
        try (FaultServer upstream = FaultServer.serving(SmallBuild.debugFile(), new byte[0]);
                TestServer server = server(TestDatabase.create(), "offsetd.upstreams.urls=" + upstream.url("ok"))) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            JsonNode checked =
                    Json.of(server.get("/v1/builds/" + SmallBuild.ID)).path("checked");
            assertThat(checked.get(0).path("outcome").asString()).isEqualTo("unusable");
            assertThat(checked.get(1).path("outcome").asString()).isEqualTo("fetched");
        }
    }

    @Test
    void failureOfAnotherSourceOutweighsTheUselessFile() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.withoutDebugInfo());
        try (FaultServer upstream = FaultServer.serving(SmallBuild.debugFile(), new byte[0]);
                TestServer server = server(TestDatabase.create(), "offsetd.upstreams.urls=" + upstream.url("500"))) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(502);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fileOfAnUpstreamDoesNotHideTheFileOfTheNext(boolean damaged) throws Exception {
        try (CountingUpstream upstream = new CountingUpstream();
                TestServer server = server(
                        TestDatabase.create(),
                        "offsetd.upstreams.urls=" + upstream.url("one") + "," + upstream.url("two"))) {
            upstream.answerFirst(
                    SmallBuild.ID,
                    CountingUpstream.ok(damaged ? SmallBuild.damaged() : SmallBuild.withoutDebugInfo())
                            .build());
            upstream.put(SmallBuild.ID, SmallBuild.richerDebugFile());
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "point");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            JsonNode build = Json.of(server.get("/v1/builds/" + SmallBuild.ID));
            for (int i = 0; i < 3000 && build.path("state").asString().equals("running"); i++) {
                // The damaged file answers meanwhile.
                Thread.sleep(20);
                build = Json.of(server.get("/v1/builds/" + SmallBuild.ID));
            }
            assertThat(build.path("provenance").path("upstream").asString()).isEqualTo(upstream.url("two"));
            assertThat(build.path("checked")
                            .valueStream()
                            .map(source -> source.path("outcome").asString()))
                    .containsExactly("not_found", "unusable", "fetched");
        }
    }

    @Test
    void retryReadsTheFileThatTheUpstreamHasNow() {
        try (CountingUpstream upstream = new CountingUpstream();
                TestServer server = server(TestDatabase.create(), "offsetd.upstreams.urls=" + upstream.url("one"))) {
            upstream.put(SmallBuild.ID, SmallBuild.withoutDebugInfo());
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(422);
            upstream.put(SmallBuild.ID, SmallBuild.debugFile());
            assertThat(Publisher.of(server, "ci").retry(server, SmallBuild.ID).statusCode())
                    .isEqualTo(202);
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        }
    }

    private static int count(TestDatabase database, String table) {
        return database.jdbc()
                .sql("select count(*) from " + table)
                .query(Integer.class)
                .single();
    }
}
