package dev.offsetd.server.pins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Answers about pinned builds, from two servers on one database. The second server also has an unreachable upstream.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PinnedAnswersIntegrationTests {

    private static final Duration HEARD = Duration.ofMinutes(1);

    /** The placement of {@code x} in {@code struct point}. */
    private static final String NEAR_Y = "{\"offset\": 0, \"size\": 4, \"type\": \"int\"}";

    private static final String FAR_Y = "{\"offset\": 48, \"size\": 4, \"type\": \"int\"}";

    private TestServer a;
    private TestServer b;
    private Administrator administrator;
    private Publisher publisher;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.withoutDebugInfo());
        TestDatabase database = TestDatabase.create();
        String debug = "offsetd.local-folders=" + folder.resolve("debug");
        String changes = "offsetd.changes.poll=50ms";
        a = TestServer.start(
                folder.resolve("a"),
                database,
                debug,
                changes,
                "offsetd.offline=true",
                "offsetd.pins.poll=50ms",
                "offsetd.demand.flush=50ms");
        b = TestServer.start(
                folder.resolve("b"),
                database,
                debug,
                changes,
                "offsetd.pins.poll=1h",
                "offsetd.upstreams.urls=http://127.0.0.1:" + FreePort.any());
        administrator = Administrator.of(a, "admin of pins");
        publisher = Publisher.of(a, "publisher");
    }

    @AfterAll
    void stop() {
        a.close();
        b.close();
    }

    private static BuildId newId() {
        return BuildId.parse(UUID.randomUUID().toString().replace("-", ""));
    }

    /** Uploads a build with {@code struct point {int x; int y;}} and {@code struct line}. */
    private BuildId uploaded() {
        BuildId id = newId();
        upload(id);
        return id;
    }

    private void upload(BuildId id) {
        assertThat(publisher.put(a, id, SmallBuild.debugFile(id)).statusCode()).isEqualTo(201);
    }

    private static void eventually(BooleanSupplier holds) {
        Instant deadline = Instant.now().plus(HEARD);
        while (!holds.getAsBoolean()) {
            assertThat(Instant.now()).as("in time").isBefore(deadline);
            Thread.onSpinWait();
        }
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElseThrow();
    }

    private static JsonNode item(HttpResponse<String> response, String item) {
        return Json.item(response, item);
    }

    private JsonNode pin(String id) {
        return Json.of(a.get("/v1/pins/" + id));
    }

    private String pinId(BuildId build, String item, String value) {
        return administrator.pin(a, build, item, value).path("id").asString();
    }

    @Test
    void everyServerAnswersWithAPinAndWithoutItOnceItIsRetired() {
        BuildId id = uploaded();
        HttpResponse<String> before = b.offsets(id, "point");
        assertThat(before.statusCode()).isEqualTo(200);
        assertThat(b.offsets(id, "point").body()).isEqualTo(before.body());

        String pin = pinId(id, "point.y", NEAR_Y);
        eventually(() -> !header(b.offsets(id, "point"), "ETag").equals(header(before, "ETag")));
        HttpResponse<String> pinned = b.offsets(id, "point");
        JsonNode y = item(pinned, "point").path("fields").path("y");
        assertThat(y.toString())
                .isEqualTo("{\"offset\":0,\"size\":4,\"type\":\"int\",\"source\":\"p2\","
                        + "\"extracted\":{\"offset\":4,\"size\":4}}");
        assertThat(item(pinned, "point").path("source").asString()).isEqualTo("p1");
        assertThat(item(pinned, "point").path("fields").path("x").has("extracted"))
                .isFalse();
        JsonNode provenance = Json.of(pinned).path("provenance");
        assertThat(provenance.path("p2").path("pin").asString()).isEqualTo(pin);
        assertThat(provenance.path("p2").path("origin").asString()).isEqualTo("pin");
        assertThat(provenance.path("p2").path("reason").asString()).isEqualTo("seen in gdb");
        assertThat(provenance.path("p2").path("author").asString()).isEqualTo("admin of pins");
        assertThat(Json.of(pinned).path("pinned").path("point.y").path("source").asString())
                .isEqualTo("p2");
        assertThat(header(pinned, "Cache-Control")).isEqualTo("public, max-age=10");
        assertThat(b.offsets(id, "line").body()).doesNotContain("p2");
        assertThat(b.get("/v1/offsets/" + id + "?types=point", "If-None-Match", header(pinned, "ETag"))
                        .statusCode())
                .isEqualTo(304);
        assertThat(Json.of(b.get("/v1/builds/" + id)).path("activePins").asInt())
                .isEqualTo(1);

        administrator.delete(a, pin);
        eventually(() -> b.offsets(id, "point").body().equals(before.body()));
        assertThat(header(b.offsets(id, "point"), "ETag")).isEqualTo(header(before, "ETag"));
    }

    @Test
    void expiredPinHasNoEffectOnAnyServer() {
        BuildId id = uploaded();
        // Long enough for the pin to be made and seen on a busy machine.
        String expiry = ", \"expiresAt\": \"" + Instant.now().plus(Duration.ofSeconds(8)) + "\"";
        assertThat(administrator
                        .post(a, "", Administrator.draft(id, "point.y", NEAR_Y, expiry))
                        .statusCode())
                .isEqualTo(201);
        eventually(
                () -> item(b.offsets(id, "point.y"), "point.y").path("offset").asInt(-1) == 0);
        // The second server does not poll for expired pins: the first one notifies it.
        eventually(
                () -> item(b.offsets(id, "point.y"), "point.y").path("offset").asInt() == 4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fields", "members", "flat"})
    void everyViewHasThePin(String view) {
        BuildId id = uploaded();
        pinId(id, "point.y", NEAR_Y);
        String path = "/v1/offsets/" + id + "?types=point,point.y&view=" + view;
        HttpResponse<String> json = a.get(path);
        assertThat(json.statusCode()).isEqualTo(200);
        JsonNode pinned = Json.of(json).path("pinned").path("point.y");
        assertThat(pinned.toString()).isEqualTo("{\"source\":\"p2\",\"extracted\":{\"offset\":4,\"size\":4}}");
        assertThat(Json.of(json).path("offsets").path("point.y").toString())
                .contains(view.equals("flat") ? "[0,4]" : "\"offset\":0");
        assertThat(Json.of(json).path("provenance").has("p2")).isTrue();
        assertThat(Cbor.of(a.cbor("GET", path, BodyPublishers.noBody(), "Accept", "application/cbor")))
                .isEqualTo(Json.of(json));
        assertThat(a.post(
                                "/v1/offsets/" + id + "?view=" + view,
                                "[\"point\", \"point.y\"]",
                                "Content-Type",
                                "application/json")
                        .body())
                .isEqualTo(json.body());
        String batch = "[{\"buildId\": \"" + id + "\", \"types\": \"point,point.y\", \"view\": \"" + view + "\"}]";
        assertThat(Json.of(a.post("/v1/offsets", batch, "Content-Type", "application/json"))
                        .path("answers")
                        .get(0)
                        .path("answer"))
                .isEqualTo(Json.of(json));
    }

    @Test
    void everyTextHasThePin() {
        BuildId id = uploaded();
        pinId(id, "point.y", NEAR_Y);
        for (String form : List.of("text/plain", "text/x-c")) {
            HttpResponse<String> text = a.offsets(id, "point", "Accept", form);
            assertThat(text.body())
                    .as(form)
                    .contains("p2: pin of point.y by admin of pins")
                    .contains("seen in gdb");
            assertThat(header(text, "Cache-Control")).isEqualTo("public, max-age=10");
        }
    }

    @Test
    void bitFieldIsAnsweredByItsBits() {
        BuildId id = uploaded();
        pinId(id, "point.flag", "{\"offset\": 4, \"size\": 1, \"bitOffset\": 34, \"bitSize\": 3}");
        JsonNode flag = item(a.offsets(id, "point.flag"), "point.flag");
        assertThat(flag.path("bitOffset").asInt()).isEqualTo(34);
        assertThat(flag.path("bitSize").asInt()).isEqualTo(3);
        assertThat(flag.path("extracted").isNull()).isTrue();
    }

    @Test
    void wholeTypeIsAnsweredByItsPin() {
        BuildId id = uploaded();
        pinId(id, "struct line", "{\"size\": 24, \"members\": {\"to\": {\"offset\": 16, \"size\": 8}}}");
        JsonNode line = item(a.offsets(id, "line,line.to,line.from"), "line");
        assertThat(line.path("size").asInt()).isEqualTo(24);
        assertThat(line.path("source").asString()).isEqualTo("p2");
        assertThat(line.path("extracted").path("size").asInt()).isEqualTo(8);
        assertThat(line.path("fields").propertyNames()).containsExactly("to");
        assertThat(item(a.offsets(id, "line.from"), "line.from").path("status").asString())
                .isEqualTo("field_not_found");
    }

    @Test
    @ChecklistRow(19)
    void unknownBuildAnswersFromItsPins() {
        BuildId id = newId();
        assertThat(a.offsets(id, "T.m").statusCode()).isEqualTo(404);
        String pin = pinId(id, "T.m", FAR_Y);
        eventually(() -> a.offsets(id, "T.m").statusCode() == 200);

        HttpResponse<String> answer = a.offsets(id, "T.m,T.n,other,symbol main");
        assertThat(answer.statusCode()).isEqualTo(200);
        JsonNode body = Json.of(answer);
        assertThat(body.path("complete").asBoolean()).isFalse();
        assertThat(body.has("arch")).isFalse();
        assertThat(body.path("offsets").path("T.m").path("offset").asInt()).isEqualTo(48);
        assertThat(body.path("offsets").path("T.m").path("extracted").isNull()).isTrue();
        for (String item : List.of("T.n", "other", "symbol main")) {
            assertThat(item(answer, item).path("status").asString()).as(item).isEqualTo("no_debuginfo");
        }
        assertThat(body.path("provenance").propertyNames()).containsExactly("p2");
        assertThat(header(answer, "Cache-Control")).isEqualTo("public, max-age=10");
        assertThat(a.offsets(id, "T.m", "Accept", "text/plain").body()).contains("source: pins alone");
        assertThat(a.offsets(id, "T.m", "Accept", "text/x-c").body()).contains("#define T_m_OFFSET 48");
        assertThat(Json.of(a.get("/v1/builds/" + id)).path("state").asString()).isEqualTo("not_found");

        administrator.delete(a, pin);
        eventually(() -> a.offsets(id, "T.m").statusCode() == 404);
    }

    @Test
    void onlyWhatPinsDoNotAnswerIsDemand() {
        BuildId id = newId();
        pinId(id, "T.m", FAR_Y);
        for (int i = 0; i < 5; i++) {
            assertThat(a.offsets(id, "T.m").statusCode()).isEqualTo(200);
        }
        BuildId other = newId();
        assertThat(a.offsets(other, "T.m").statusCode()).isEqualTo(404);
        eventually(() -> demanded(other) == 1);
        assertThat(demanded(id)).isZero();
        assertThat(a.offsets(id, "T.m,T.n").statusCode()).isEqualTo(200);
        eventually(() -> demanded(id) == 1);
    }

    private long demanded(BuildId id) {
        return Json.of(a.get("/v1/demand?limit=200"))
                .path("demand")
                .valueStream()
                .filter(entry -> entry.path("buildId").asString().equals(id.toString()))
                .mapToLong(entry -> entry.path("count").asLong())
                .sum();
    }

    @Test
    void fileThatCannotServeLeavesItsPinsToAnswer() {
        assertThat(a.offsets(SmallBuild.ID, "point.y").statusCode()).isEqualTo(422);
        String pin = pinId(SmallBuild.ID, "point.y", FAR_Y);
        eventually(() -> a.offsets(SmallBuild.ID, "point.y").statusCode() == 200);
        HttpResponse<String> answer = a.offsets(SmallBuild.ID, "point.y,line");
        assertThat(item(answer, "point.y").path("offset").asInt()).isEqualTo(48);
        assertThat(item(answer, "line").path("status").asString()).isEqualTo("no_debuginfo");
        administrator.delete(a, pin);
        eventually(() -> a.offsets(SmallBuild.ID, "point.y").statusCode() == 422);
    }

    @Test
    void failureOfASourceIsHiddenOnlyByPinsThatAnswerEverything() {
        BuildId id = newId();
        pinId(id, "T.m", FAR_Y);
        eventually(() -> b.offsets(id, "T.m").statusCode() == 200);
        assertThat(Json.of(b.get("/v1/builds/" + id)).path("state").asString()).isEqualTo("failed");
        assertThat(b.offsets(id, "T.m,T.n").statusCode()).isEqualTo(502);
    }

    @Test
    void laterExtractionSaysWhetherAPinWasRight() {
        BuildId id = newId();
        String right = pinId(id, "point.y", "{\"offset\": 4, \"size\": 4, \"type\": \"something else\"}");
        String wrong = pinId(id, "point.x", FAR_Y);
        String neverCompared = pinId(id, "circle.r", FAR_Y);
        String type = pinId(
                id,
                "line",
                "{\"size\": 8, \"members\": {\"from\": {\"offset\": 0, \"size\": 4}, \"to\": {\"offset\": 4, \"size\": 4}}}");
        assertThat(pin(right).path("agreement").asString()).isEqualTo("unknown");
        upload(id);

        assertThat(pin(right).path("agreement").asString()).isEqualTo("agrees");
        assertThat(pin(wrong).path("agreement").asString()).isEqualTo("disagrees");
        assertThat(pin(wrong).path("extracted").path("offset").asInt(-1)).isZero();
        assertThat(pin(wrong).path("revision").asInt()).isEqualTo(1);
        assertThat(pin(neverCompared).path("agreement").asString()).isEqualTo("unknown");
        assertThat(pin(type).path("agreement").asString()).isEqualTo("agrees");
        JsonNode disagreeing =
                Json.of(b.get("/v1/pins?agreement=disagrees&buildId=" + id)).path("pins");
        assertThat(disagreeing.size()).isEqualTo(1);
        assertThat(disagreeing.get(0).path("id").asString()).isEqualTo(wrong);
        // A new pin is compared with the current layouts.
        JsonNode fresh = administrator.pin(a, id, "line.to", "{\"offset\": 4, \"size\": 4}");
        assertThat(fresh.path("agreement").asString()).isEqualTo("agrees");
        JsonNode edited = Json.of(administrator.put(
                a, fresh.path("id").asString(), Administrator.draft(id, "line.to", NEAR_Y, ""), "If-Match", "*"));
        assertThat(edited.path("agreement").asString()).isEqualTo("disagrees");
        assertThat(edited.path("extracted").path("offset").asInt()).isEqualTo(4);
    }

    @Test
    void pinThatDoesNotFitIsRefusedAndOneThatOverlapsIsNot() {
        BuildId id = uploaded();
        HttpResponse<String> refused = administrator.post(a, "", Administrator.draft(id, "point.y", FAR_Y, ""));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(Json.of(refused).path("code").asString()).isEqualTo("pin_does_not_fit");
        assertThat(Json.of(refused).path("detail").asString()).contains("52").contains("8");
        assertThat(Json.of(a.get("/v1/pins?buildId=" + id)).path("pins").isEmpty())
                .isTrue();

        JsonNode check = Json.of(administrator.post(a, "/check", Administrator.draft(id, "point.y", NEAR_Y, "")));
        assertThat(check.path("errors").isEmpty()).isTrue();
        assertThat(check.path("warnings").size()).isEqualTo(1);
        assertThat(check.path("extracted").path("offset").asInt()).isEqualTo(4);
    }

    @Test
    void copyLeavesOutWhatDoesNotFit() {
        BuildId from = newId();
        String far = pinId(from, "point.y", FAR_Y);
        pinId(from, "line.to", NEAR_Y);
        BuildId to = uploaded();

        JsonNode copied =
                Json.of(administrator.post(a, "/copy", "{\"from\": \"" + from + "\", \"to\": \"" + to + "\"}"));
        assertThat(copied.path("copied").size()).isEqualTo(1);
        assertThat(copied.path("copied").get(0).path("agreement").asString()).isEqualTo("disagrees");
        assertThat(copied.path("leftOut").size()).isEqualTo(1);
        assertThat(copied.path("leftOut").get(0).path("pin").asString()).isEqualTo(far);
        assertThat(copied.path("leftOut").get(0).path("code").asString()).isEqualTo("pin_does_not_fit");
    }

    @Test
    void resolutionGoesByThePins() {
        BuildId id = uploaded();
        pinId(id, "point", "{\"size\": 8, \"members\": {\"z\": {\"offset\": 4, \"size\": 4, \"type\": \"int\"}}}");
        JsonNode answer = Json.of(a.get("/v1/resolve/" + id + "?expr=point%2B4"));
        assertThat(answer.path("status").asString()).isEqualTo("found");
        assertThat(answer.path("root").path("contents").get(0).path("name").asString())
                .isEqualTo("z");
        assertThat(answer.path("pinned").path("point").path("source").asString())
                .isEqualTo("p2");
        assertThat(answer.path("provenance").propertyNames()).containsExactly("p1", "p2");

        BuildId nowhere = newId();
        pinId(nowhere, "T", "{\"size\": 8, \"members\": {\"z\": {\"offset\": 4, \"size\": 4, \"type\": \"int\"}}}");
        HttpResponse<String> pinned = a.get("/v1/resolve/" + nowhere + "?expr=T%2B4");
        assertThat(pinned.statusCode()).isEqualTo(200);
        assertThat(Json.of(pinned).has("arch")).isFalse();
        assertThat(Json.of(pinned).path("provenance").propertyNames()).containsExactly("p2");
    }

    @Test
    @ChecklistRow(40)
    void pathOfAPinnedMemberIsTheNameOfNoType() {
        BuildId id = uploaded();
        String query = "/v1/resolve/" + id + "?expr=point.y";
        assertThat(Json.of(a.get(query)).path("status").asString()).isEqualTo("not_found");
        pinId(id, "point.y", NEAR_Y);
        HttpResponse<String> pinned = a.get(query);
        assertThat(pinned.statusCode()).as(pinned.body()).isEqualTo(200);
        assertThat(Json.of(pinned).path("status").asString()).isEqualTo("not_found");
    }

    @Test
    void differencesGoByThePinsOfEitherBuild() {
        BuildId from = uploaded();
        BuildId to = uploaded();
        String path = "/v1/diff?types=point&from=" + from + "&to=";
        assertThat(Json.of(a.get(path + to)).path("same").asBoolean()).isTrue();
        pinId(to, "point.y", NEAR_Y);
        JsonNode diff = Json.of(a.get(path + to));
        assertThat(diff.path("same").asBoolean()).isFalse();
        assertThat(diff.path("types")
                        .get(0)
                        .path("members")
                        .get(0)
                        .path("member")
                        .asString())
                .isEqualTo("y");
        assertThat(diff.path("to").path("provenance").path("p2").path("reason").asString())
                .isEqualTo("seen in gdb");
        assertThat(diff.path("to").path("pinned").propertyNames()).containsExactly("point.y");
        assertThat(diff.path("from").has("pinned")).isFalse();

        BuildId nowhere = newId();
        pinId(nowhere, "point", "{\"size\": 16}");
        assertThat(a.get(path + nowhere).statusCode()).isEqualTo(200);
        assertThat(a.get(path + newId()).statusCode()).isEqualTo(404);
    }
}
