package dev.offsetd.server.builds.identity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The list of builds: order, pages and filters. */
class BuildListIntegrationTests {

    private static final String STORED = SmallBuild.ID.toString();
    private static final List<String> MISSES =
            List.of("00".repeat(8), "01".repeat(20), "01ab" + "00".repeat(18), "ff".repeat(64));

    @TempDir
    private static Path folder;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
        assertThat(server.offsets(STORED, "point").statusCode()).isEqualTo(200);
        for (String id : MISSES) {
            assertThat(server.offsets(id, "point").statusCode()).isEqualTo(404);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 200})
    void pagesListEveryBuildOnceOrderedById(int limit) {
        List<String> seen = new ArrayList<>();
        String next = "/v1/builds?limit=" + limit;
        while (!next.isEmpty()) {
            JsonNode page = Json.of(server.get(next));
            assertThat(page.path("builds").size()).isBetween(1, limit);
            seen.addAll(ids(page));
            next = page.path("next").asString("");
        }
        assertThat(seen)
                .containsExactly(MISSES.get(0), MISSES.get(1), STORED, MISSES.get(2), MISSES.get(3))
                .isSorted();
    }

    @Test
    void entriesEqualTheResourcesOfSingleBuilds() {
        for (JsonNode entry : Json.of(server.get("/v1/builds")).path("builds")) {
            JsonNode alone =
                    Json.of(server.get("/v1/builds/" + entry.path("buildId").asString()));
            assertThat(entry.path("state")).isEqualTo(alone.path("state"));
            assertThat(entry.path("arch")).isEqualTo(alone.path("arch"));
            assertThat(entry.path("provenance")).isEqualTo(alone.path("provenance"));
            assertThat(entry.path("checked").size())
                    .isEqualTo(alone.path("checked").size());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "state=extracted, 1",
        "state=not_found, 4",
        "state=running, 0",
        "origin=local, 1",
        "origin=upload, 0",
        "machine=x86_64, 1",
        "machine=aarch64, 0",
        "q=, 5",
        "q=0, 4",
        "q=01, 3",
        "q=01A, 1",
        "q=0123, 1",
        "q=f, 1",
        "q=e, 0",
        "q=xyz, 0",
        "state=extracted&q=01, 1",
        "state=extracted&machine=x86_64&origin=local&q=0123456789abcdef, 1"
    })
    void filtersCanBeCombined(String query, int count) {
        HttpResponse<String> response = server.get("/v1/builds?" + query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(Json.of(response).path("builds").size()).isEqualTo(count);
    }

    @Test
    void completeBuildIdIsAValidPrefix() {
        for (String id : MISSES) {
            assertThat(ids(Json.of(server.get("/v1/builds?q=" + id)))).containsExactly(id);
        }
    }

    @Test
    void nextPageKeepsTheFilters() {
        JsonNode first = Json.of(server.get("/v1/builds?state=not_found&limit=2"));
        JsonNode second = Json.of(server.get(first.path("next").asString()));
        assertThat(ids(second)).containsExactly(MISSES.get(2), MISSES.get(3));
        assertThat(second.path("next").isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "limit=0, bad_limit",
        "limit=201, bad_limit",
        "limit=-1, bad_limit",
        "limit=99999999999, bad_limit",
        "state=gone, bad_state",
        "state=Extracted, bad_state",
        "origin=, bad_origin",
        "machine=, bad_machine",
        "machine=%00, bad_text",
        "q=%21%21, bad_q",
        "name=, bad_name",
        "cursor=abc, bad_cursor",
        "cursor=Yg, bad_cursor",
        "cursor=../../x, bad_cursor",
        "stat=failed, unknown_parameter",
        "q=a&q=b, repeated_parameter"
    })
    void invalidQueryIsRefusedWithTheReason(String query, String code) {
        HttpResponse<String> response = server.get("/v1/builds?" + query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
    }

    private static List<String> ids(JsonNode page) {
        return page.path("builds")
                .valueStream()
                .map(build -> build.path("buildId").asString())
                .toList();
    }
}
