package dev.offsetd.server.pins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Creation, retrieval, revision and removal of pins. Each test uses a new build. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PinsIntegrationTests {

    private static final String PLACE = "{\"offset\": 48, \"size\": 8, \"type\": \"VALUE *\"}";

    private TestDatabase database;
    private TestServer server;
    private Administrator administrator;

    @BeforeAll
    void start(@TempDir Path data) {
        database = TestDatabase.create();
        server = TestServer.start(data, database, "offsetd.offline=true", "offsetd.pins.poll=50ms");
        administrator = Administrator.of(server, "admin of pins");
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private static String newBuild() {
        return UUID.randomUUID().toString().replace("-", "");
    }

    private JsonNode pin(String build, String item) {
        return administrator.pin(server, build, item, PLACE);
    }

    private static String id(JsonNode pin) {
        return pin.path("id").asString();
    }

    private static String code(HttpResponse<String> response) {
        return Json.of(response).path("code").asString();
    }

    private JsonNode read(String id) {
        HttpResponse<String> response = server.get("/v1/pins/" + id);
        assertThat(response.statusCode()).isEqualTo(200);
        return Json.of(response);
    }

    private List<String> states(String id) {
        return read(id).path("history")
                .valueStream()
                .map(revision -> revision.path("action").asString() + " "
                        + revision.path("state").asString())
                .toList();
    }

    private List<Map<String, @Nullable Object>> audited(String id) {
        return database.jdbc()
                .sql("select who, action, before->>'state' as before, after->>'state' as after from audit"
                        + " where subject = ? order by id")
                .param(id)
                .query()
                .listOfRows();
    }

    @Test
    void pinSaysWhatItsAuthorSaid() {
        String build = newBuild();
        HttpResponse<String> made = administrator.post(
                server,
                "",
                Administrator.draft(build, "cfp.pc", PLACE, ", \"expiresAt\": \"2090-01-31T12:00:00+01:00\""));

        assertThat(made.statusCode()).isEqualTo(201);
        JsonNode pin = Json.of(made);
        assertThat(made.headers().firstValue("Location")).contains("/v1/pins/" + id(pin));
        assertThat(made.headers().firstValue("ETag")).contains("\"1\"");
        assertThat(pin.path("buildId").asString()).isEqualTo(build);
        assertThat(pin.path("item").asString()).isEqualTo("cfp.pc");
        assertThat(pin.path("value").toString()).isEqualTo("{\"offset\":48,\"size\":8,\"type\":\"VALUE *\"}");
        assertThat(pin.path("reason").asString()).isEqualTo("seen in gdb");
        assertThat(pin.path("expiresAt").asString()).isEqualTo("2090-01-31T11:00:00Z");
        assertThat(pin.path("state").asString()).isEqualTo("active");
        assertThat(pin.path("author").asString()).isEqualTo("admin of pins");
        assertThat(pin.path("agreement").asString()).isEqualTo("unknown");
        JsonNode read = read(id(pin));
        assertThat(read.path("createdAt")).isEqualTo(pin.path("createdAt"));
        assertThat(read.path("history").get(0).path("value")).isEqualTo(pin.path("value"));
        assertThat(Cbor.of(server.cbor(
                        "GET", "/v1/pins/" + id(pin), BodyPublishers.noBody(), "Accept", "application/cbor")))
                .isEqualTo(read);
        assertThat(Json.of(server.get("/v1/builds/" + build)).path("activePins").asInt())
                .isEqualTo(1);
    }

    @Test
    void membersOfATypeKeepTheirOrder() {
        JsonNode pin = administrator.pin(
                server,
                newBuild(),
                "struct flags",
                "{\"size\": 4, \"members\": {\"z\": {\"offset\": 0, \"size\": 1, \"bitOffset\": 3, \"bitSize\": 5},"
                        + " \"a\": {\"offset\": 2, \"size\": 2}}}");

        assertThat(read(id(pin)).path("value").path("members").propertyNames()).containsExactly("z", "a");
    }

    @Test
    @ChecklistRow(22)
    void lifeOfAPinLeavesItsRevisionsAndTheAuditsRows() {
        String build = newBuild();
        String id = id(pin(build, "cfp.pc"));
        String changed = Administrator.draft(build, "cfp.pc", PLACE.replace("48", "56"), "");
        HttpResponse<String> edited = administrator.put(server, id, changed, "If-Match", "\"1\"");
        assertThat(edited.statusCode()).isEqualTo(200);
        assertThat(edited.headers().firstValue("ETag")).contains("\"2\"");
        // An edit that changes nothing adds no revision.
        assertThat(administrator
                        .put(server, id, changed, "If-Match", "\"2\"")
                        .headers()
                        .firstValue("ETag"))
                .contains("\"2\"");
        assertThat(Json.of(administrator.delete(server, id)).path("state").asString())
                .isEqualTo("retired");
        assertThat(Json.of(administrator.delete(server, id)).path("revision").asInt())
                .isEqualTo(3);
        assertThat(Json.of(administrator.post(server, "/" + id + "/restore", "", "If-Match", "\"3\""))
                        .path("state")
                        .asString())
                .isEqualTo("active");

        assertThat(states(id)).containsExactly("restore active", "retire retired", "edit active", "create active");
        assertThat(read(id).path("history").get(3).path("value").path("offset").asInt())
                .isEqualTo(48);
        assertThat(audited(id))
                .extracting(row -> row.get("action"))
                .containsExactly("pin.create", "pin.edit", "pin.retire", "pin.restore");
        assertThat(audited(id).get(2)).containsEntry("before", "active").containsEntry("after", "retired");
        assertThat(audited(id)).allSatisfy(row -> assertThat(row).containsEntry("who", "admin of pins"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"T.m", "struct T.m", " T . m", "\\\"T\\\".m", "union  T.m"})
    void itemIsTheSameHoweverItIsSpelled(String spelling) {
        String build = newBuild();
        String id = id(pin(build, "T.m"));
        HttpResponse<String> second = administrator.post(
                server,
                "",
                "{\"buildId\": \"" + build + "\", \"item\": \"" + spelling + "\", \"value\": " + PLACE
                        + ", \"reason\": \"again\"}");

        assertThat(second.statusCode()).isEqualTo(409);
        assertThat(code(second)).isEqualTo("pin_exists");
        assertThat(Json.of(second).path("pin").asString()).isEqualTo(id);
    }

    @Test
    void ofManyWhoPinOneItemAtOnceExactlyOneDoes() throws Exception {
        String build = newBuild();
        CountDownLatch together = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String item = i % 2 == 0 ? "T.m" : "struct T.m";
                all.add(threads.submit(() -> {
                    together.await();
                    return administrator.post(server, "", Administrator.draft(build, item, PLACE, ""));
                }));
            }
            together.countDown();
            List<Integer> statuses = new ArrayList<>();
            for (Future<HttpResponse<String>> one : all) {
                statuses.add(one.get().statusCode());
            }
            assertThat(statuses).containsOnly(201, 409).containsOnlyOnce(201);
        }
        assertThat(Json.of(server.get("/v1/pins?buildId=" + build)).path("pins").size())
                .isEqualTo(1);
    }

    @Test
    void databaseRefusesASecondActivePinOfAnItem() {
        String build = newBuild();
        String first = id(pin(build, "T.m"));
        String retired = id(pin(build, "T.n"));
        administrator.delete(server, retired);

        assertThatThrownBy(() -> database.jdbc()
                        .sql("update pins set state = 'active', item_key = (select item_key from pins where id = ?)"
                                + " where id = ?")
                        .params(UUID.fromString(first), UUID.fromString(retired))
                        .update())
                .hasMessageContaining("pins_active_item");
    }

    @Test
    void buildHasAtMostAsManyActivePinsAsItsBundleMayHave() {
        String build = newBuild();
        String first = id(pin(build, "T.m"));
        database.jdbc().sql("""
                        insert into pins select other.* from pins first, generate_series(1, 999) n,
                            lateral jsonb_populate_record(first, jsonb_build_object(
                                'id', gen_random_uuid(), 'item', 'T.m' || n,
                                'item_key', '\\x' || encode(sha256(('T.m' || n)::bytea), 'hex'))) other
                        where first.id = ?
                        """).param(UUID.fromString(first)).update();

        HttpResponse<String> refused = administrator.post(server, "", Administrator.draft(build, "T.o", PLACE, ""));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(code(refused)).isEqualTo("pin_does_not_fit");
        assertThat(refused.body())
                .contains(build + ", which has 1000 active pins; expected a build with fewer than 1000");
        String edited = Administrator.draft(build, "T.m", PLACE.replace("48", "16"), "");
        assertThat(administrator.put(server, first, edited, "If-Match", "*").statusCode())
                .isEqualTo(200);
        administrator.delete(server, first);
        assertThat(administrator
                        .post(server, "", Administrator.draft(build, "T.o", PLACE, ""))
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void retiredPinMakesRoomAndCannotComeBackIntoIt() {
        String build = newBuild();
        String first = id(pin(build, "T.m"));
        administrator.delete(server, first);
        String second = id(pin(build, "T.m"));

        HttpResponse<String> restored = administrator.post(server, "/" + first + "/restore", "");
        assertThat(restored.statusCode()).isEqualTo(409);
        assertThat(Json.of(restored).path("pin").asString()).isEqualTo(second);
    }

    /** A pin of a type with many members takes seconds, in which the threads of requests must answer others. */
    @Test
    @ChecklistRow(36)
    void pinsAreCheckedWhereQueriesCompute() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        for (ComputePool pool : server.beans(ComputePool.class)) {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                var _ = pool.submit(
                        () -> {
                            end.await();
                            return null;
                        },
                        Duration.ofMinutes(1));
            }
        }
        try {
            HttpResponse<String> busy =
                    administrator.post(server, "/check", Administrator.draft(newBuild(), "cfp.pc", PLACE, ""));
            assertThat(busy.statusCode()).as(busy.body()).isEqualTo(503);
        } finally {
            end.countDown();
        }
    }

    @Test
    void staleEditIsRefused() {
        String build = newBuild();
        String id = id(pin(build, "T.m"));
        String text = Administrator.draft(build, "T.m", PLACE.replace("48", "16"), "");
        String later = Administrator.draft(build, "T.m", PLACE.replace("48", "24"), "");
        assertThat(administrator.put(server, id, text).statusCode()).isEqualTo(428);
        assertThat(administrator.put(server, id, text, "If-Match", "\"1\"").statusCode())
                .isEqualTo(200);

        HttpResponse<String> late = administrator.put(server, id, later, "If-Match", "\"1\"");
        assertThat(late.statusCode()).isEqualTo(412);
        assertThat(code(late)).isEqualTo("stale_edit");
        assertThat(administrator.delete(server, id, "If-Match", "\"1\"").statusCode())
                .isEqualTo(412);
        assertThat(read(id).path("value").path("offset").asInt()).isEqualTo(16);
        assertThat(administrator.put(server, id, later, "If-Match", "*").statusCode())
                .isEqualTo(200);
    }

    @Test
    @ChecklistRow(22)
    void historyIsNeverChangedOrDeleted() {
        pin(newBuild(), "T.m");
        for (String statement :
                new String[] {"update pin_history set who = 'nobody'", "delete from pin_history", "truncate pin_history"
                }) {
            assertThatThrownBy(() -> database.jdbc().sql(statement).update())
                    .as(statement)
                    .hasMessageContaining("never changed or deleted");
        }
    }

    @Test
    void pinEndsByItselfWhenItsTimeIsOver() {
        String build = newBuild();
        // Long enough for the pin to be made on a busy machine.
        String expiry = ", \"expiresAt\": \"" + Instant.now().plus(Duration.ofSeconds(6)) + "\"";
        HttpResponse<String> made = administrator.post(server, "", Administrator.draft(build, "T.m", PLACE, expiry));
        assertThat(made.statusCode()).isEqualTo(201);
        String id = id(Json.of(made));
        Instant deadline = Instant.now().plus(Duration.ofMinutes(1));
        while (!read(id).path("state").asString().equals("expired")) {
            assertThat(Instant.now()).isBefore(deadline);
        }

        assertThat(states(id)).containsExactly("expire expired", "create active");
        assertThat(audited(id).getLast()).containsEntry("who", "expiry").containsEntry("action", "pin.expire");
        assertThat(Json.of(server.get("/v1/builds/" + build)).path("activePins").asInt())
                .isZero();
        assertThat(code(administrator.post(server, "/" + id + "/restore", ""))).isEqualTo("pin_expired");
        assertThat(code(administrator.put(
                        server, id, Administrator.draft(build, "T.m", PLACE, expiry), "If-Match", "\"2\"")))
                .isEqualTo("bad_pin");
        assertThat(Json.of(administrator.put(
                                server, id, Administrator.draft(build, "T.m", PLACE, ""), "If-Match", "\"2\""))
                        .path("state")
                        .asString())
                .isEqualTo("active");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "T.m ; {\"offset\": -1, \"size\": 8} ; value.offset",
                "T.m ; {\"offset\": 1.5, \"size\": 8} ; value.offset",
                "T.m ; {\"offset\": 8, \"size\": 1, \"bitOffset\": \"64\", \"bitSize\": 1} ; value.bitOffset",
                "T ; {\"size\": 8, \"members\": {\"a\": {\"offset\": 1.0, \"size\": 8}}} ; value.members.a.offset",
                "T.m ; {\"offset\": 1099511627777, \"size\": 8} ; value.offset",
                "T.m ; {\"offset\": 8} ; value.size",
                "T.m ; {\"offset\": 8, \"size\": 1, \"bits\": 3} ; value.bits",
                "T.m ; {\"offset\": 8, \"size\": 1, \"bitOffset\": 64} ; value.bitSize",
                "T.m ; {\"offset\": 8, \"size\": 1, \"bitOffset\": 64, \"bitSize\": 0} ; value.bitSize",
                "T.m ; {\"offset\": 8, \"size\": 1, \"bitOffset\": 72, \"bitSize\": 1} ; value.bitOffset",
                "T.m ; {\"offset\": 8, \"size\": 1, \"bitOffset\": 68, \"bitSize\": 8} ; value.size",
                "T.m ; {\"size\": 8} ; value.offset",
                "T ; {\"offset\": 8, \"size\": 8} ; value.offset",
                "T ; {\"size\": 8, \"members\": {\"a\": {\"offset\": -8, \"size\": 8}}} ; value.members.a.offset",
                "T ; {\"size\": 8, \"members\": []} ; value.members",
                "T ; 8 ; value",
                "T[3] ; {\"size\": 8} ; item",
                "T.m[0] ; {\"offset\": 8, \"size\": 8} ; item",
                "a|b ; {\"size\": 8} ; item",
                "symbol a ; {\"size\": 8} ; item",
                "@ruby ; {\"size\": 8} ; item",
                "enumerator A ; {\"size\": 8} ; item",
                "tls ; {\"size\": 8} ; item",
                "T. ; {\"size\": 8} ; item"
            })
    void whatIsWrongIsNamed(String item, String value, String place) {
        HttpResponse<String> refused = administrator.post(server, "", Administrator.draft(newBuild(), item, value, ""));

        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(code(refused)).isEqualTo("bad_pin");
        assertThat(Json.of(refused).path("place").asString()).isEqualTo(place);
        assertThat(Json.of(refused).path("detail").asString())
                .startsWith(place.startsWith("value.bits") ? "member" : place);
    }

    @Test
    void reasonIsGivenAndExpiryInTheFuture() {
        String draft = Administrator.draft(newBuild(), "T.m", PLACE, "");
        for (String reason : List.of("", "  ", "a\\nb", "x".repeat(2001))) {
            HttpResponse<String> refused = administrator.post(server, "", draft.replace("seen in gdb", reason));
            assertThat(code(refused)).as(reason).isEqualTo("bad_pin");
            assertThat(Json.of(refused).path("place").asString()).isEqualTo("reason");
        }
        assertThat(code(administrator.post(server, "", draft.replace("seen in gdb", "\\u0000"))))
                .isEqualTo("bad_text");
        for (String time : List.of("\"2001-01-01T00:00:00Z\"", "\"tomorrow\"", "5", "\"+10000-01-01T00:00:00Z\"")) {
            HttpResponse<String> refused = administrator.post(
                    server, "", Administrator.draft(newBuild(), "T.m", PLACE, ", \"expiresAt\": " + time));
            assertThat(code(refused)).as(time).isEqualTo("bad_pin");
            assertThat(Json.of(refused).path("place").asString()).isEqualTo("expiresAt");
        }
        assertThat(administrator
                        .post(server, "", draft.replace("seen in gdb", "x".repeat(2000)))
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void newPinHasTheWarningsOfItsCheck() {
        String overlapping = Administrator.draft(newBuild(), "T", """
                {"size": 16, "members": {"a": {"offset": 0, "size": 8}, "b": {"offset": 4, "size": 8}}}""", "");
        JsonNode warnings =
                Json.of(administrator.post(server, "/check", overlapping)).path("warnings");

        JsonNode created = Json.of(administrator.post(server, "", overlapping));

        assertThat(created.path("warnings")).isNotEmpty().isEqualTo(warnings);
    }

    @Test
    void checkStoresNothing() {
        String build = newBuild();
        String good = Administrator.draft(build, "T.m", PLACE, "");
        assertThat(Json.of(administrator.post(server, "/check", good))
                        .path("errors")
                        .isEmpty())
                .isTrue();
        assertThat(server.get("/v1/builds/" + build).statusCode()).isEqualTo(404);
        JsonNode bad = Json.of(administrator.post(server, "/check", good.replace("\"offset\": 48", "\"offset\": -48")));
        assertThat(bad.path("errors").get(0).path("place").asString()).isEqualTo("value.offset");
        pin(build, "T.m");
        assertThat(Json.of(administrator.post(server, "/check", good))
                        .path("errors")
                        .get(0)
                        .path("place")
                        .asString())
                .isEqualTo("item");
    }

    @Test
    void listsArePagedNewestFirst() {
        String build = newBuild();
        List<String> made = Stream.of("T.a", "T.b", "T.c", "T.d", "T.e")
                .map(item -> id(pin(build, item)))
                .toList();
        administrator.delete(server, made.getLast());
        List<String> seen = new ArrayList<>();
        String next = "/v1/pins?limit=2&state=active&buildId=" + build;
        int pages = 0;
        while (next != null) {
            JsonNode page = Json.of(server.get(next));
            page.path("pins").forEach(pin -> seen.add(id(pin)));
            next = page.path("next").asStringOpt().orElse(null);
            pages++;
        }
        assertThat(pages).isEqualTo(2);
        assertThat(seen).containsExactlyElementsOf(made.subList(0, 4).reversed());
        assertThat(Json.of(server.get("/v1/pins?q=T.C&buildId=" + build))
                        .path("pins")
                        .size())
                .isEqualTo(1);
        assertThat(Json.of(server.get("/v1/pins?agreement=disagrees&buildId=" + build))
                        .path("pins")
                        .isEmpty())
                .isTrue();
        for (String bad : List.of("state=gone", "agreement=maybe", "buildId=xyz", "cursor=AAAA", "after=x")) {
            assertThat(server.get("/v1/pins?" + bad).statusCode()).as(bad).isEqualTo(400);
        }
    }

    @Test
    void copyLeavesOutWhatIsPinnedAlready() {
        String from = newBuild();
        String to = newBuild();
        String first = id(pin(from, "T.a"));
        pin(from, "T.b");
        administrator.delete(server, id(pin(from, "T.c")));
        pin(to, "struct T.a");

        JsonNode copied =
                Json.of(administrator.post(server, "/copy", "{\"from\": \"" + from + "\", \"to\": \"" + to + "\"}"));
        assertThat(copied.path("copied").size()).isEqualTo(1);
        JsonNode copy = copied.path("copied").get(0);
        assertThat(copy.path("item").asString()).isEqualTo("T.b");
        assertThat(copy.path("buildId").asString()).isEqualTo(to);
        assertThat(states(id(copy))).containsExactly("copy active");
        assertThat(audited(id(copy)).getLast()).containsEntry("action", "pin.copy");
        assertThat(copied.path("leftOut").size()).isEqualTo(1);
        assertThat(copied.path("leftOut").get(0).path("pin").asString()).isEqualTo(first);
        assertThat(copied.path("leftOut").get(0).path("code").asString()).isEqualTo("pin_exists");
        assertThat(code(administrator.post(server, "/copy", "{\"from\": \"" + to + "\", \"to\": \"" + to + "\"}")))
                .isEqualTo("bad_pin");
    }

    @Test
    void pinStaysAtItsBuild() {
        String id = id(pin(newBuild(), "T.m"));
        HttpResponse<String> moved =
                administrator.put(server, id, Administrator.draft(newBuild(), "T.m", PLACE, ""), "If-Match", "\"1\"");
        assertThat(Json.of(moved).path("place").asString()).isEqualTo("buildId");
    }

    @Test
    void unknownPinIsNotFound() {
        for (String id : List.of(UUID.randomUUID().toString(), "x", "1-1-1-1-1")) {
            assertThat(server.get("/v1/pins/" + id).statusCode()).as(id).isEqualTo(404);
            assertThat(administrator.delete(server, id).statusCode()).as(id).isEqualTo(404);
            assertThat(administrator.post(server, "/" + id + "/restore", "").statusCode())
                    .as(id)
                    .isEqualTo(404);
        }
    }
}
