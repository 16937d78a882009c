package dev.offsetd.server.answers.types;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
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
import tools.jackson.databind.JsonNode;

/** The types of one build, and those of two beside each other. */
class TypesIntegrationTests {

    private static final String TYPES = "/v1/builds/" + ShapesBuild.ID + "/types";
    private static final String DIFF = "/v1/diff?from=" + SmallBuild.ID + "&to=" + ShapesBuild.ID;

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer server;

    @BeforeAll
    static void start() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        ShapesBuild.putInto(folder.resolve("debug"));
        database = TestDatabase.create();
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static List<String> names(HttpResponse<String> response) {
        return Json.of(response)
                .path("types")
                .valueStream()
                .map(type -> type.path("name").asString())
                .toList();
    }

    @Test
    void typesAreListedInOrderWithKindAndSize() {
        HttpResponse<String> response = server.get(TYPES);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(names(response)).containsExactly("colour", "either", "int", "line", "line_t", "point");
        JsonNode types = Json.of(response).path("types");
        assertThat(types.get(0).path("kinds").get(0).asString()).isEqualTo("enum");
        assertThat(types.get(4).toString()).isEqualTo("{\"name\":\"line_t\",\"kinds\":[\"typedef\"],\"size\":88}");
        assertThat(Cbor.of(server.cbor("GET", TYPES, BodyPublishers.noBody(), "Accept", "application/cbor")))
                .isEqualTo(Json.of(response));
    }

    @Test
    void pagesHaveEveryNameOnce() {
        List<String> seen = new ArrayList<>();
        String page = TYPES + "?limit=2&q=N";
        while (page != null) {
            HttpResponse<String> response = server.get(page);
            seen.addAll(names(response));
            page = Json.of(response).path("next").asString(null);
            assertThat(response.headers().firstValue("Link").isPresent()).isEqualTo(page != null);
        }
        assertThat(seen).containsExactly("int", "line", "line_t", "point");
    }

    @Test
    void rankedTypesStartWithTheBestMatch() {
        HttpResponse<String> response = server.get(TYPES + "?q=Int&sort=rank");
        assertThat(names(response)).containsExactly("int", "point");
        assertThat(Json.of(response).path("more").asBoolean(true)).isFalse();
        HttpResponse<String> one = server.get(TYPES + "?q=Int&sort=rank&limit=1");
        assertThat(names(one)).containsExactly("int");
        assertThat(Json.of(one).path("more").asBoolean(false)).isTrue();
        assertThat(Json.of(one).has("next")).isFalse();
        assertThat(names(server.get(TYPES + "?sort=rank&limit=2"))).containsExactly("colour", "either");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind=struct | line,point",
                "kind=typedef&q=line | line_t",
                "kind=struct&q=line&sort=rank | line",
                "lang=c&kind=enum | colour",
                "lang=rust | ''",
                "lang=c++&q=int&sort=rank | ''"
            })
    void typesAreFilteredByKindAndLanguage(String query, String expected) {
        assertThat(String.join(",", names(server.get(TYPES + "?" + query)))).isEqualTo(expected);
    }

    @Test
    void filteredPagesHaveEveryNameOnce() {
        HttpResponse<String> first = server.get(TYPES + "?kind=struct&limit=1");
        assertThat(names(first)).containsExactly("line");
        HttpResponse<String> second = server.get(Json.of(first).path("next").asString());
        assertThat(names(second)).containsExactly("point");
        assertThat(Json.of(second).has("next")).isFalse();
    }

    @Test
    void rankedTypesHaveNoFurtherPage() {
        String next = Json.of(server.get(TYPES + "?q=i&limit=1")).path("next").asString();
        HttpResponse<String> response = server.get(next + "&sort=rank");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("bad_cursor");
    }

    @ParameterizedTest
    @CsvSource({
        "sort=size,bad_sort",
        "kind=function,bad_kind",
        "lang=klingon,bad_language",
        "limit=0,bad_limit",
        "cursor=abc,bad_cursor",
        "cursor=dA,bad_cursor",
        "after=line,unknown_parameter",
        "q=a&q=b,repeated_parameter"
    })
    void badListQueryIsRefused(String query, String code) {
        HttpResponse<String> response = server.get(TYPES + "?" + query);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
    }

    @Test
    void unknownBuildHasNoTypes() {
        HttpResponse<String> response = server.get("/v1/builds/" + SmallBuild.UNKNOWN_ID + "/types");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("build_not_found");
        assertThat(Json.of(response).path("buildId").asString()).isEqualTo(SmallBuild.UNKNOWN_ID.toString());
    }

    @Test
    void differencesAreSaidOfEachTypeOnce() {
        HttpResponse<String> response = server.get(DIFF + "&types=line,struct+point,int,nope,either");
        assertThat(response.statusCode()).isEqualTo(200);
        JsonNode answer = Json.of(response);
        assertThat(answer.path("same").asBoolean()).isFalse();
        assertThat(answer.path("from").path("buildId").asString()).isEqualTo(SmallBuild.ID.toString());
        assertThat(answer.path("to").path("arch").path("machine").asString()).isEqualTo("x86_64");
        assertThat(answer.path("types")
                        .valueStream()
                        .map(type -> type.path("type").asString() + " "
                                + type.path("status").asString()))
                .containsExactly("line changed", "struct point changed", "int same", "nope not_found", "either added");
        JsonNode y = answer.path("types").get(1).path("members").get(0);
        assertThat(y.path("member").asString()).isEqualTo("y");
        assertThat(y.path("from").path("offset").asInt()).isEqualTo(4);
        assertThat(y.path("to").path("offset").asInt()).isEqualTo(8);
    }

    @Test
    void differenceHasAnETagAndIsCborToo() {
        HttpResponse<String> response = server.get(DIFF + "&types=point");
        assertThat(response.headers().firstValue("Vary").orElseThrow()).contains("Accept");
        assertThat(server.get(
                                DIFF + "&types=point",
                                "If-None-Match",
                                response.headers().firstValue("ETag").orElseThrow())
                        .statusCode())
                .isEqualTo(304);
        assertThat(Cbor.of(server.cbor(
                        "GET", DIFF + "&types=point", BodyPublishers.noBody(), "Accept", "application/cbor")))
                .isEqualTo(Json.of(response));
    }

    @Test
    void buildIsTheSameAsItself() {
        HttpResponse<String> response = server.get("/v1/diff?from=" + ShapesBuild.ID + "&to="
                + ShapesBuild.ID.toString().toUpperCase(java.util.Locale.ROOT) + "&types=line");
        assertThat(Json.of(response).path("same").asBoolean()).isTrue();
    }

    @Test
    void problemSaysWhichOfTheTwoBuildsItIsAbout() {
        HttpResponse<String> response =
                server.get("/v1/diff?types=point&from=" + SmallBuild.ID + "&to=" + SmallBuild.UNKNOWN_ID);
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(Json.of(response).path("side").asString()).isEqualTo("to");
        assertThat(Json.of(response).path("buildId").asString()).isEqualTo(SmallBuild.UNKNOWN_ID.toString());
        assertThat(Json.of(server.get("/v1/diff?types=point&from=xyz&to=" + SmallBuild.ID))
                        .path("side")
                        .asString())
                .isEqualTo("from");
    }

    @Test
    void storedBuildThatCannotBeReadIsReadAnewAndTheOtherStays() {
        server.get(DIFF + "&types=point");
        long other = generation(ShapesBuild.ID.toBytes());
        database.jdbc()
                .sql("update catalogues set blob = 'corrupt' where build_id = :id")
                .param("id", SmallBuild.ID.toBytes())
                .update();
        TestServer second = TestServer.start(
                folder.resolve("second"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
        try (second) {
            HttpResponse<String> response = second.get(DIFF + "&types=point");
            while (response.statusCode() == 202) {
                response = second.get(DIFF + "&types=point");
            }
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(generation(ShapesBuild.ID.toBytes())).isEqualTo(other);
        }
    }

    private static long generation(byte[] id) {
        return database.jdbc()
                .sql("select generation from builds where build_id = :id")
                .param("id", id)
                .query(Long.class)
                .single();
    }

    @ParameterizedTest
    @CsvSource({
        "from=0123456789abcdef&to=0123456789abcdef,missing_types",
        "from=0123456789abcdef&types=a,missing_build",
        "to=0123456789abcdef&types=a,missing_build",
        "from=0123456789abcdef&to=0123456789abcdef&types=a[,bad_item",
        "from=0123456789abcdef&to=0123456789abcdef&types=a&lang=klingon,bad_language",
        "from=0123456789abcdef&to=0123456789abcdef&types=a&view=flat,unknown_parameter"
    })
    void badComparisonIsRefused(String query, String code) {
        HttpResponse<String> response = server.get("/v1/diff?" + query.replace("[", "%5B"));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
    }
}
