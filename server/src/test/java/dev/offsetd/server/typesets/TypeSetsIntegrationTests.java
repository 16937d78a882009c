package dev.offsetd.server.typesets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Type sets as people list, read and change them, and as two servers on one database answer with them. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TypeSetsIntegrationTests {

    private static final String POINT = """
            {"title": "Points", "items": [{"item": "point.x"}, {"item": "point.z", "need": "optional"}]}""";

    /** Servers look for changes twice a second. */
    private static final Duration HEARD = Duration.ofMinutes(1);

    private TestDatabase database;
    private TestServer a;
    private TestServer b;
    private String[] administrator;
    private Path folder;

    @BeforeAll
    void start(@TempDir Path scratch) throws Exception {
        folder = scratch;
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        database = TestDatabase.create();
        a = server("a");
        b = server("b");
        administrator = new String[] {
            "Authorization",
            "Bearer "
                    + a.bean(Tokens.class)
                            .create("admin of sets", Set.of(Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                            .text(),
            "Content-Type",
            "application/json"
        };
    }

    private TestServer server(String data) {
        return TestServer.start(
                folder.resolve(data),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
    }

    @AfterAll
    void stop() {
        a.close();
        b.close();
    }

    private HttpResponse<String> put(String name, String document, String... headers) {
        List<String> all = new ArrayList<>(List.of(administrator));
        all.addAll(List.of(headers));
        return a.send("PUT", "/v1/type-sets/" + name, BodyPublishers.ofString(document), all.toArray(String[]::new));
    }

    private static String etag(HttpResponse<?> response) {
        return response.headers().firstValue("ETag").orElseThrow();
    }

    private static JsonNode set(HttpResponse<String> response, String item) {
        return Json.of(response).path("offsets").path(item);
    }

    @Test
    void setIsMadeReadAndChanged() {
        HttpResponse<String> made = put("life", POINT);
        assertThat(made.statusCode()).isEqualTo(201);
        assertThat(made.headers().firstValue("Location")).contains("/v1/type-sets/life");
        HttpResponse<String> read = b.get("/v1/type-sets/life");
        assertThat(Json.of(read)).isEqualTo(JsonMapper.shared().readTree("""
                {"name": "life", "version": 1, "title": "Points",
                 "items": [{"item": "point.x"}, {"item": "point.z", "need": "optional"}]}"""));
        assertThat(etag(read)).isEqualTo(etag(made));
        assertThat(b.get("/v1/type-sets/life", "If-None-Match", etag(read)).statusCode())
                .isEqualTo(304);

        HttpResponse<String> same = put("life", "{ \"name\": \"life\", " + POINT.substring(1));
        assertThat(same.statusCode()).isEqualTo(200);
        assertThat(same.body()).isEqualTo(made.body());

        HttpResponse<String> changed = put("life", POINT.replace("Points", "Lines"));
        assertThat(changed.statusCode()).isEqualTo(200);
        assertThat(Json.of(changed).path("version").asInt()).isEqualTo(2);
        assertThat(etag(changed)).isNotEqualTo(etag(made));
        assertThat(database.jdbc()
                        .sql("select author from type_set_versions where name = 'life' order by version")
                        .query(String.class)
                        .list())
                .containsExactly("admin of sets", "admin of sets");
    }

    @Test
    void setIsAvailableAsCborWithAnotherTag() {
        HttpResponse<String> made = put("both", POINT);
        HttpResponse<byte[]> cbor =
                a.cbor("GET", "/v1/type-sets/both", BodyPublishers.noBody(), "Accept", "application/cbor");

        assertThat(Cbor.of(cbor)).isEqualTo(Json.of(made));
        assertThat(etag(cbor)).isNotEqualTo(etag(made));
        assertThat(put("both", POINT.replace("Points", "P"), "If-Match", etag(cbor))
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void builtInSetsAreListedWithOwnOnesByName() {
        put("aaa", POINT);
        List<JsonNode> listed = new ArrayList<>();
        String next = "/v1/type-sets?limit=3";
        while (next != null) {
            JsonNode page = Json.of(b.get(next));
            page.path("typeSets").forEach(listed::add);
            assertThat(page.path("typeSets").size()).isLessThanOrEqualTo(3);
            next = page.path("next").isString() ? page.path("next").asString() : null;
        }
        assertThat(listed)
                .extracting(entry -> entry.path("name").asString())
                .isSorted()
                .doesNotHaveDuplicates()
                .contains("aaa")
                .containsAll(new BuiltInTypeSets().names());
        assertThat(listed.getFirst()).isEqualTo(JsonMapper.shared().readTree("""
                {"name": "aaa", "version": 1, "title": "Points", "builtIn": false, "retired": false, "required": 1,
                 "optional": 1, "items": 2}"""));
        JsonNode ruby = Json.of(a.get("/v1/type-sets/ruby"));
        assertThat(ruby.path("name").asString()).isEqualTo("ruby");
        JsonNode versions = JsonMapper.shared().readTree("[\"2.7\", \"3.1\", \"3.3\"]");
        assertThat(ruby.path("versions")).isEqualTo(versions);
        assertThat(listed)
                .filteredOn(entry -> entry.path("name").asString().equals("ruby"))
                .extracting(entry -> entry.path("versions"))
                .containsExactly(versions);
    }

    @Test
    void builtInSetsCannotBeChanged() {
        HttpResponse<String> refused = put("ruby", POINT);
        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(Json.of(refused).path("code").asString()).isEqualTo("built_in_type_set");
    }

    @Test
    void unknownSetIsNotFound() {
        for (String name : List.of("nope", "No", "a%00b", "x".repeat(65))) {
            HttpResponse<String> missing = a.get("/v1/type-sets/" + name);
            assertThat(missing.statusCode()).as(name).isIn(400, 404);
        }
        assertThat(Json.of(a.get("/v1/type-sets/nope")).path("code").asString()).isEqualTo("type_set_not_found");
    }

    @Test
    void staleEditsAreRefused() {
        String first = etag(put("edited", POINT));
        assertThat(put("edited", POINT.replace("Points", "1"), "If-Match", first)
                        .statusCode())
                .isEqualTo(200);
        HttpResponse<String> late = put("edited", POINT.replace("Points", "2"), "If-Match", first);
        assertThat(late.statusCode()).isEqualTo(412);
        assertThat(Json.of(late).path("code").asString()).isEqualTo("stale_edit");
        assertThat(Json.of(a.get("/v1/type-sets/edited")).path("title").asString())
                .isEqualTo("1");
        assertThat(put("edited", POINT, "If-None-Match", "*").statusCode()).isEqualTo(412);
        assertThat(put("edited", POINT, "If-Match", "W/" + first).statusCode()).isEqualTo(412);
        assertThat(put("edited", POINT, "If-Match", "garbage").statusCode()).isEqualTo(400);
        assertThat(put("none", POINT, "If-Match", "*").statusCode()).isEqualTo(412);
        assertThat(a.get("/v1/type-sets/none").statusCode()).isEqualTo(404);
        assertThat(put("edited", POINT, "If-Match", "*").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '`',
            value = {
                "{                                               # line 1, column 2",
                "{\"title\": \"t\"}                              # items",
                "{\"title\": \"t\", \"items\": [{\"item\": \"a..b\"}]} # items[0].item, character 3",
                "{\"version\": 4, \"title\": \"t\", \"items\": [{\"item\": \"a\"}]} # version",
                "{\"name\": \"you\", \"title\": \"t\", \"items\": [{\"item\": \"a\"}]} # name"
            })
    void invalidSetIsRefusedWithThePlace(String document, String place) {
        HttpResponse<String> refused = put("me", document);
        assertThat(refused.statusCode()).isEqualTo(400);
        JsonNode problem = Json.of(refused);
        assertThat(problem.path("code").asString()).isEqualTo("bad_type_set");
        assertThat(problem.path("place").asString()).isEqualTo(place);
        assertThat(problem.path("detail").asString()).startsWith(place + ": ").contains("; expected ");
        assertThat(a.get("/v1/type-sets/me").statusCode()).isEqualTo(404);
    }

    @Test
    void setThatIsTooLargeIsRefused() {
        HttpResponse<String> refused = put("me", " ".repeat(256 * 1024) + POINT);
        assertThat(refused.statusCode()).isEqualTo(413);
        assertThat(Json.of(refused).path("limit").asInt()).isEqualTo(256 * 1024);
    }

    @Test
    void setNeedsAName() {
        HttpResponse<String> refused = put("Me", POINT);
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(Json.of(refused).path("code").asString()).isEqualTo("bad_type_set_name");
    }

    @Test
    void onlyAdministratorsChangeSets() {
        String[] publisher = Publisher.of(a, "publisher").authorized("Content-Type", "application/json");
        assertThat(a.send("PUT", "/v1/type-sets/mine", BodyPublishers.ofString(POINT), publisher)
                        .statusCode())
                .isEqualTo(403);
        assertThat(a.send(
                                "PUT",
                                "/v1/type-sets/mine",
                                BodyPublishers.ofString(POINT),
                                "Content-Type",
                                "application/json")
                        .statusCode())
                .isEqualTo(401);
    }

    @Test
    void changesAreAudited() {
        put("audited", POINT);
        put("audited", POINT);
        put("audited", POINT.replace("Points", "Lines"));
        List<Map<String, @Nullable Object>> rows = database.jdbc()
                .sql(
                        "select who, before ->> 'title' as before, after ->> 'title' as after, after ->> 'version' as version"
                                + " from audit where action = 'type-set.put' and subject = 'audited' order by id")
                .query()
                .listOfRows();
        assertThat(rows).hasSize(2);
        assertThat(rows.getFirst())
                .containsEntry("who", "admin of sets")
                .containsEntry("before", null)
                .containsEntry("after", "Points");
        assertThat(rows.getLast())
                .containsEntry("before", "Points")
                .containsEntry("after", "Lines")
                .containsEntry("version", "2");
    }

    @Test
    void itemsOfASetAreAnsweredAsIfTheyHadBeenSent() {
        put("ask", POINT);
        HttpResponse<String> answer = a.offsets(SmallBuild.ID, "line.to,@ask", "Prefer", "wait=30");

        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode offsets = Json.of(answer).path("offsets");
        assertThat(offsets.propertyNames()).containsExactly("line.to", "@ask", "point.x", "point.z");
        assertThat(offsets.path("@ask")).isEqualTo(JsonMapper.shared().readTree("""
                {"status": "found", "kind": "set", "set": "ask", "version": 1, "source": "p1", "coverage": {
                  "required": {"found": 1, "of": 1}, "optional": {"found": 0, "of": 1},
                  "missing": [{"item": "point.z", "need": "optional", "status": "field_not_found"}]}}"""));
        assertThat(Json.of(answer).path("complete").asBoolean(false)).isTrue();
        assertThat(Json.of(a.offsets(SmallBuild.ID, "@ask,point.z"))
                        .path("complete")
                        .asBoolean(true))
                .isFalse();
        assertThat(Json.of(a.offsets(SmallBuild.ID, "@ruby")).path("complete").asBoolean(true))
                .isFalse();
    }

    @Test
    void nameMapAnswersInTheFormatOfItsConsumer() {
        assertThat(put("mapped", """
                {"title": "Points", "items": [{"item": "point"}], "maps": {
                  "agent": {"title": "Our agent", "names": {
                    "point.y": {"offset": "point.y"}, "point.sizeof": {"size": "point"}}},
                  "other": {"title": "Another", "names": {"z": {"offset": "point.z"}, "version": {"constant": 3}}}}}""").statusCode()).isEqualTo(201);
        String path = "/v1/offsets/" + SmallBuild.ID + "?types=@mapped&view=map";

        JsonNode json = Json.of(a.get(path + "&map=agent"));
        assertThat(json.path("complete").asBoolean()).isTrue();
        assertThat(json.path("map")).isEqualTo(JsonMapper.shared().readTree("""
                {"set": "mapped", "version": 1, "name": "agent"}"""));
        assertThat(json.path("offsets")).isEqualTo(JsonMapper.shared().readTree("""
                {"point.y": 4, "point.sizeof": 8}"""));

        HttpResponse<String> yaml = a.get(path + "&map=agent", "Accept", "application/yaml");
        assertThat(yaml.headers().firstValue("Content-Type")).contains("application/yaml");
        assertThat(yaml.body())
                .startsWith("# build-id " + SmallBuild.ID)
                .contains("# complete: everything was found\n")
                .endsWith("# @mapped version 1, map agent, Our agent\npoint:\n    sizeof: 8\n    \"y\": 4\n");
        assertThat(a.get(path + "&map=agent", "Accept", "application/yaml", "If-None-Match", etag(yaml))
                        .statusCode())
                .isEqualTo(304);
        assertThat(a.get(path + "&map=agent", "Accept", "text/x-c").body())
                .contains("#define point_y 4\n", "#define point_sizeof 8\n");

        JsonNode missing = Json.of(a.get(path + "&map=other"));
        assertThat(missing.path("complete").asBoolean()).isFalse();
        assertThat(missing.path("offsets")).isEqualTo(JsonMapper.shared().readTree("""
                {"z": {"status": "field_not_found", "item": "point.z"}, "version": 3}"""));
        assertThat(a.get(path + "&map=other", "Accept", "application/yaml").body())
                .contains("# incomplete", "z: {status: field_not_found, item: 'point.z'}");
        assertThat(a.get(path + "&map=other", "Accept", "text/x-c").body())
                .contains("/* z: field_not_found, point.z */")
                .doesNotContain("#define z");
        assertThat(Json.of(a.get("/v1/type-sets/mapped"))
                        .path("maps")
                        .path("agent")
                        .path("names"))
                .isEqualTo(JsonMapper.shared().readTree("""
                        {"point.y": {"offset": "point.y"}, "point.sizeof": {"size": "point"}}"""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "types=@ruby&view=map&map=nope # application/json # 400 # unknown_map",
                "types=@python&view=map        # application/json # 400 # unknown_map",
                "types=@glibc&view=map         # application/json # 400 # unknown_map",
                "types=@nope&view=map          # application/json # 400 # unknown_set",
                "types=point&view=map          # application/json # 400 # unknown_map",
                "types=@ruby&map=runtime-data  # application/json # 400 # bad_view",
                "types=@perl&view=map          # text/plain       # 406 # not_acceptable",
                "types=@ruby                   # application/yaml # 406 # not_acceptable"
            })
    void queryForNoNameMapIsRefused(String query, String accept, int status, String code) {
        HttpResponse<String> response = a.get("/v1/offsets/" + SmallBuild.ID + "?" + query, "Accept", accept);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
    }

    @Test
    void batchesAnswerNameMaps() {
        JsonNode answers = Json.of(a.send(
                        "POST",
                        "/v1/offsets",
                        BodyPublishers.ofString("""
                                [{"buildId": "%s", "types": "@ruby", "view": "map", "map": "runtime-data"}]""".formatted(SmallBuild.ID)),
                        "Content-Type",
                        "application/json"))
                .path("answers");

        assertThat(answers.get(0)
                        .path("answer")
                        .path("offsets")
                        .path("path_flavour")
                        .asInt())
                .isEqualTo(1);
    }

    @Test
    void setThatThereIsNotIsNamedBeforeAnybodyWaits() {
        HttpResponse<String> refused = a.offsets(SmallBuild.UNKNOWN_ID, "point, @nope", "Prefer", "wait=30");

        assertThat(refused.statusCode()).isEqualTo(400);
        JsonNode problem = Json.of(refused);
        assertThat(problem.path("code").asString()).isEqualTo("unknown_set");
        assertThat(problem.path("item").asString()).isEqualTo(" @nope");
        assertThat(problem.path("itemNumber").asInt()).isEqualTo(2);
        assertThat(problem.path("position").asInt()).isEqualTo(3);
        assertThat(problem.path("detail").asString())
                .contains("no type set has this name")
                .contains("@ruby");
    }

    @Test
    void changedSetIsAnsweredWithByEveryServer() throws InterruptedException {
        put("shared", POINT);
        for (TestServer server : List.of(a, b)) {
            HttpResponse<String> before = server.offsets(SmallBuild.ID, "@shared", "Prefer", "wait=30");
            assertThat(set(before, "@shared").path("version").asInt()).isEqualTo(1);
        }
        put("shared", POINT.replace("point.x", "point.y"));
        for (TestServer server : List.of(a, b)) {
            JsonNode answer = Json.of(server.offsets(SmallBuild.ID, "@shared"));
            for (long end = System.nanoTime() + HEARD.toNanos();
                    answer.at("/offsets/@shared/version").asInt() != 2;
                    answer = Json.of(server.offsets(SmallBuild.ID, "@shared"))) {
                assertThat(System.nanoTime())
                        .as("time until the change is visible")
                        .isLessThan(end);
                Thread.sleep(20);
            }
            assertThat(answer.path("offsets").propertyNames()).containsExactly("@shared", "point.y", "point.z");
        }
    }

    @Test
    void changedSetIsAnsweredWithAtOnceByTheServerThatChangedIt() {
        try (TestServer own = TestServer.start(
                folder.resolve("own"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.changes.poll=1h")) {
            for (int version = 1; version <= 3; version++) {
                own.send(
                        "PUT",
                        "/v1/type-sets/at-once",
                        BodyPublishers.ofString(POINT.replace("Points", "Points " + version)),
                        administrator);
                assertThat(set(own.offsets(SmallBuild.ID, "@at-once", "Prefer", "wait=30"), "@at-once")
                                .path("version")
                                .asInt())
                        .isEqualTo(version);
            }
        }
    }

    @Test
    void setsOutliveServers() {
        put("kept", POINT);
        try (TestServer later = server("later")) {
            assertThat(Json.of(later.get("/v1/type-sets/kept")).path("version").asInt())
                    .isEqualTo(1);
            assertThat(set(later.offsets(SmallBuild.ID, "@kept", "Prefer", "wait=30"), "@kept")
                            .path("set")
                            .asString())
                    .isEqualTo("kept");
        }
    }
}
