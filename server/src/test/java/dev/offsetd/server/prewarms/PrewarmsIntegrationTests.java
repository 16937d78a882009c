package dev.offsetd.server.prewarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.CountingUpstream.Request;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * The life of a batch on one server, which makes at most three concurrent requests to its upstream. Batches may use two
 * of them.
 */
@Timeout(120)
class PrewarmsIntegrationTests {

    private static final AtomicInteger COUNT = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static final CountingUpstream UPSTREAM = new CountingUpstream();
    private static TestDatabase database;
    private static TestServer server;
    private static Publisher publisher;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        server = start("server");
        publisher = Publisher.of(server, "ci");
    }

    private static TestServer start(String name) {
        return TestServer.start(
                folder.resolve(name),
                database,
                "offsetd.upstreams.urls=" + UPSTREAM.url("main"),
                "offsetd.upstreams.breaker.failures=1000",
                "offsetd.extraction.retry.failed=20ms",
                "offsetd.upstreams.max-concurrent-per-host=3",
                "offsetd.prewarms.max-concurrent=8",
                "offsetd.prewarms.per-minute=60000",
                "offsetd.prewarms.max-attempts=3",
                "offsetd.prewarms.backoff=20ms",
                "offsetd.work.poll=50ms",
                "offsetd.prewarms.max-waiting=40");
    }

    @AfterAll
    static void stop() {
        server.close();
        UPSTREAM.close();
    }

    /** Returns the id of a build that has not been requested yet. */
    private static BuildId newBuild() {
        return BuildId.parse("%040x".formatted(0xbead_0000L + COUNT.incrementAndGet()));
    }

    /** Returns the id of a build that the upstream has. */
    private static BuildId availableBuild() {
        BuildId id = newBuild();
        UPSTREAM.put(id, SmallBuild.debugFile(id));
        return id;
    }

    private static String body(String priority, List<String> types, BuildId... builds) {
        return "{\"builds\": %s, \"types\": %s, \"priority\": \"%s\"}"
                .formatted(list(Arrays.stream(builds).map(BuildId::toString)), list(types.stream()), priority);
    }

    private static String list(Stream<String> texts) {
        return texts.map(text -> '"' + text + '"').collect(Collectors.joining(",", "[", "]"));
    }

    private static HttpResponse<String> post(String body) {
        return server.post("/v1/prewarms", body, publisher.authorized("Content-Type", "application/json"));
    }

    /** Creates a batch and returns its location. */
    private static String create(String body) {
        HttpResponse<String> response = post(body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        String location = response.headers().firstValue("Location").orElseThrow();
        assertThat(location)
                .isEqualTo("/v1/prewarms/" + Json.of(response).path("id").asString());
        return location;
    }

    private static String create(BuildId... builds) {
        return create(body("normal", List.of(), builds));
    }

    private static JsonNode get(TestServer from, String location) {
        HttpResponse<String> response = from.get(location, publisher.authorized());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.headers().firstValue("Cache-Control")).hasValue("no-store");
        return Json.of(response);
    }

    private static JsonNode get(String location) {
        return get(server, location);
    }

    private static JsonNode cancel(String location) {
        HttpResponse<String> response =
                server.send("DELETE", location, BodyPublishers.noBody(), publisher.authorized());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response);
    }

    /** Waits until the batch meets the condition. */
    private static JsonNode await(TestServer from, String location, Predicate<JsonNode> goal)
            throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            JsonNode prewarm = get(from, location);
            if (goal.test(prewarm)) {
                return prewarm;
            }
            assertThat(System.nanoTime()).as(prewarm.toString()).isLessThan(end);
            Thread.sleep(20);
        }
    }

    private static JsonNode awaitEnd(String location) throws InterruptedException {
        return await(
                server, location, prewarm -> !prewarm.path("state").asString().equals("active"));
    }

    private static JsonNode item(JsonNode prewarm, BuildId id) {
        for (JsonNode item : prewarm.path("items")) {
            if (item.path("buildId").asString().equals(id.toString())) {
                return item;
            }
        }
        throw new AssertionError(id + " is no item of " + prewarm);
    }

    private static String state(JsonNode prewarm, BuildId id) {
        return item(prewarm, id).path("state").asString();
    }

    private static Predicate<JsonNode> inState(BuildId id, String state) {
        return prewarm -> state(prewarm, id).equals(state);
    }

    @Test
    void prewarmedBuildsAnswerAtOnce() throws Exception {
        BuildId first = availableBuild();
        BuildId second = availableBuild();
        JsonNode prewarm = awaitEnd(create(body("normal", List.of("point", "line.to"), first, second)));
        assertThat(prewarm.path("state").asString()).isEqualTo("done");
        assertThat(prewarm.path("complete").asBoolean()).isTrue();
        assertThat(prewarm.path("createdBy").asString()).isEqualTo("ci");
        assertThat(prewarm.path("endedAt").isMissingNode()).isFalse();
        assertThat(prewarm.path("counts").path("done").asInt()).isEqualTo(2);
        assertThat(item(prewarm, second).path("complete").asBoolean()).isTrue();
        assertThat(item(prewarm, second).path("attempts").asInt()).isEqualTo(1);
        for (BuildId id : List.of(first, second)) {
            HttpResponse<String> answer = server.offsets(id, "point.y", "Prefer", "wait=0");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(UPSTREAM.hits(id)).isEqualTo(1);
        }
    }

    private static JsonNode identity(BuildId id) {
        return Json.of(server.get("/v1/builds/" + id)).path("identity");
    }

    private static String named(BuildId id, String path) {
        return "{\"builds\": [\"%s\"], \"names\": {\"%s\": \"%s\"}}".formatted(id, id, path);
    }

    @Test
    void pathOfAFileNamesTheBuildAfterWhatIsKnown() throws Exception {
        BuildId id = availableBuild();
        String path = "debs/libpoint1_1.2-3_amd64.deb!./usr/lib/libpoint.so.1";
        JsonNode prewarm = awaitEnd(create(named(id, path)));
        assertThat(item(prewarm, id).path("name").asString()).isEqualTo(path);
        assertThat(identity(id).path("title").asString()).startsWith("libpoint.so.1 1.2");
        assertThat(identity(id)
                        .path("fields")
                        .valueStream()
                        .map(field -> field.path("kind").asString() + " "
                                + field.path("value").asString() + " "
                                + field.path("source").asString()))
                .contains("fileName libpoint.so.1 prewarm path", "package libpoint1 prewarm path");
        assertThat(Json.of(server.get("/v1/builds?q=libpoint")).path("builds").size())
                .isEqualTo(1);

        awaitEnd(create(named(id, "/opt/other/name.so")));
        assertThat(identity(id).path("title").asString()).startsWith("libpoint.so.1 1.2");
        assertThat(Json.of(server.get("/v1/builds?name=name.so")).path("builds").size())
                .isEqualTo(1);
    }

    @Test
    void pathOfABuildThatNoSourceHasIsShownAsAClaim() throws Exception {
        BuildId id = newBuild();
        String location = create(named(id, "usr/bin/<app>"));
        JsonNode prewarm = awaitEnd(location);
        assertThat(state(prewarm, id)).isEqualTo("failed");
        assertThat(item(prewarm, id).path("name").asString()).isEqualTo("usr/bin/<app>");
        assertThat(AdminClient.signIn(server)
                        .get(location.replace("/v1/", "/admin/"))
                        .body())
                .contains("claimed: ", "usr/bin/&lt;app&gt;");
        JsonNode missing = Json.of(server.get("/v1/builds/" + id));
        assertThat(missing.path("claimedName").asString()).isEqualTo("usr/bin/<app>");
        assertThat(missing.path("claimedBy").asString()).isEqualTo("prewarm");
        assertThat(Json.of(server.get("/v1/demand")).toString())
                .as("a prewarm is no demand")
                .doesNotContain(id.toString());
    }

    @Test
    void namesOfOtherBuildsAndNamesThatAreNoPathsAreRefused() {
        BuildId id = newBuild();
        String other = newBuild().toString();
        assertRefused("{\"builds\": [\"%s\"], \"names\": {\"%s\": \"a\"}}".formatted(id, other), "names." + other);
        assertRefused("{\"builds\": [\"%s\"], \"names\": {\"x\": \"a\"}}".formatted(id), "names.x");
        assertRefused("{\"builds\": [\"%s\"], \"names\": []}".formatted(id), "names");
        for (String path : List.of("", " ", "a".repeat(1_001))) {
            assertRefused(named(id, path), "names." + id);
        }
    }

    /** A build is stored with the types that it lacks, so a batch of a thousand builds would store a long list so often. */
    @Test
    void typesWithMoreCharactersThanTheLimitAreRefused() {
        List<String> types = IntStream.range(0, 40)
                .mapToObj(number -> "t".repeat(2_000) + number)
                .toList();
        HttpResponse<String> response = post(body("normal", types, newBuild()));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(413);
        assertThat(Json.of(response).path("limit").asInt()).isEqualTo(PrewarmDraft.MAX_TYPE_CHARACTERS);
        assertThat(post(body("normal", types.subList(0, 30), newBuild())).statusCode())
                .isEqualTo(202);
    }

    @Test
    void missingTypesOfManyBuildsAreAllListed() throws Exception {
        BuildId[] builds = Stream.generate(PrewarmsIntegrationTests::availableBuild)
                .limit(30)
                .toArray(BuildId[]::new);
        List<String> types = IntStream.range(0, 300)
                .mapToObj(number -> "missing_type_" + number)
                .toList();
        JsonNode prewarm = awaitEnd(create(body("normal", types, builds)));
        assertThat(prewarm.path("items")
                        .valueStream()
                        .map(item -> item.path("buildId").asString()))
                .containsExactly(Arrays.stream(builds).map(BuildId::toString).toArray(String[]::new));
        assertThat(prewarm.path("items").valueStream())
                .allSatisfy(
                        item -> assertThat(item.path("missing").valueStream().map(JsonNode::asString))
                                .containsExactlyElementsOf(types));
    }

    @Test
    void coverageTellsWhatABuildLacks() throws Exception {
        BuildId id = availableBuild();
        JsonNode prewarm = awaitEnd(create(body("normal", List.of("@ruby", "point.x", "circle", "line.z"), id)));
        assertThat(prewarm.path("state").asString()).isEqualTo("done");
        assertThat(prewarm.path("complete").asBoolean()).isFalse();
        JsonNode item = item(prewarm, id);
        assertThat(item.path("complete").asBoolean()).isFalse();
        assertThat(item.path("missing").valueStream().map(JsonNode::asString)).containsExactly("circle", "line.z");
        JsonNode ruby = item.path("coverage").path("@ruby");
        assertThat(ruby.path("required").path("found").asInt()).isZero();
        assertThat(ruby.path("required").path("of").asInt()).isPositive();
        assertThat(ruby.path("missing").valueStream().map(JsonNode::asString)).contains("rb_control_frame_struct.pc");
    }

    @Test
    void sameBatchIsOneWhileItIsActive() throws Exception {
        BuildId held = availableBuild();
        BuildId other = availableBuild();
        UPSTREAM.hold(held);
        String location = create(body("normal", List.of("point", "line"), held, other));
        assertThat(create(body("normal", List.of("line", "point"), other, held, other)))
                .isEqualTo(location);
        assertThat(create("{\"builds\": [\"%s\", \"%s\"], \"types\": [\"line\", \"point\"]}"
                        .formatted(other, held.toString().toUpperCase(Locale.ROOT))))
                .isEqualTo(location);
        assertThat(get(location).path("items").size()).isEqualTo(2);
        String urgent = create(body("high", List.of("point", "line"), held, other));
        assertThat(urgent).isNotEqualTo(location);
        UPSTREAM.release(held);
        awaitEnd(location);
        awaitEnd(urgent);
        assertThat(UPSTREAM.hits(held)).isEqualTo(1);
        String again = create(body("normal", List.of("point", "line"), held, other));
        assertThat(again).isNotEqualTo(location);
        assertThat(awaitEnd(again).path("complete").asBoolean()).isTrue();
        assertThat(audited("prewarm.create", location)).isEqualTo(1);
    }

    @Test
    void higherPrioritiesComeFirst() throws Exception {
        BuildId[] held = {availableBuild(), availableBuild()};
        Arrays.stream(held).forEach(UPSTREAM::hold);
        String busy = create(held);
        for (BuildId id : held) {
            await(server, busy, inState(id, "fetching"));
        }
        BuildId low = availableBuild();
        BuildId normal = availableBuild();
        BuildId high = availableBuild();
        List<String> locations =
                List.of(create(body("low", List.of(), low)), create(normal), create(body("high", List.of(), high)));
        UPSTREAM.release(held[0]);
        for (String location : locations) {
            awaitEnd(location);
        }
        UPSTREAM.release(held[1]);
        awaitEnd(busy);
        assertThat(UPSTREAM.requests().stream().map(Request::build).filter(List.of(low, normal, high)::contains))
                .containsExactly(high, normal, low);
    }

    @Test
    void hostsNeedNotWaitForBatches() throws Exception {
        BuildId[] held = {availableBuild(), availableBuild()};
        Arrays.stream(held).forEach(UPSTREAM::hold);
        BuildId waiting = availableBuild();
        String location = create(held[0], held[1], waiting);
        for (BuildId id : held) {
            await(server, location, inState(id, "fetching"));
        }
        assertThat(server.offsets(availableBuild(), "point").statusCode()).isEqualTo(200);
        assertThat(server.offsets(waiting, "point").statusCode())
                .as("a build that waits in a batch")
                .isEqualTo(200);
        Arrays.stream(held).forEach(UPSTREAM::release);
        assertThat(awaitEnd(location).path("complete").asBoolean()).isTrue();
        assertThat(UPSTREAM.hits(waiting)).isEqualTo(1);
    }

    @Test
    void failuresThatMayPassAreTriedAgain() throws Exception {
        BuildId id = availableBuild();
        UPSTREAM.answerFirst(id, CountingUpstream.status(503), cutOff(id));
        JsonNode prewarm = awaitEnd(create(id));
        assertThat(state(prewarm, id)).isEqualTo("done");
        assertThat(item(prewarm, id).path("attempts").asInt()).isEqualTo(3);
        assertThat(item(prewarm, id).path("cause").isMissingNode()).isTrue();
        assertThat(UPSTREAM.hits(id)).isEqualTo(3);
    }

    private static MockResponse cutOff(BuildId id) {
        return CountingUpstream.ok(SmallBuild.debugFile(id))
                .setHeader("X-DEBUGINFOD-SIZE", 1_000_000)
                .build();
    }

    @Test
    void attemptsComeToAnEnd() throws Exception {
        BuildId id = availableBuild();
        MockResponse failure = CountingUpstream.status(500);
        UPSTREAM.answerFirst(id, failure, failure, failure);
        JsonNode prewarm = awaitEnd(create(id));
        assertThat(prewarm.path("state").asString()).isEqualTo("done");
        assertThat(prewarm.path("counts").path("failed").asInt()).isEqualTo(1);
        assertThat(state(prewarm, id)).isEqualTo("failed");
        assertThat(item(prewarm, id).path("attempts").asInt()).isEqualTo(3);
        assertThat(item(prewarm, id).path("cause").path("code").asString()).isEqualTo("upstream_refused");
        assertThat(UPSTREAM.hits(id)).isEqualTo(3);
    }

    @Test
    void nextAttemptWaitsAsLongAsTheUpstreamSays() throws Exception {
        BuildId id = availableBuild();
        UPSTREAM.answerFirst(
                id,
                new MockResponse.Builder()
                        .code(503)
                        .addHeader("Retry-After", "5")
                        .build());
        Instant began = Instant.now();
        String location = create(id);
        JsonNode waiting = await(server, location, prewarm -> item(prewarm, id).has("nextAttemptAt"));
        assertThat(state(waiting, id)).isEqualTo("waiting");
        assertThat(item(waiting, id).path("attempts").asInt()).isEqualTo(1);
        assertThat(item(waiting, id).path("cause").path("code").asString()).isEqualTo("upstream_refused");
        assertThat(Instant.parse(item(waiting, id).path("nextAttemptAt").asString()))
                .isAfter(began.plusMillis(4900));
        assertThat(state(awaitEnd(location), id)).isEqualTo("done");
        assertThat(Duration.between(began, Instant.now())).isGreaterThan(Duration.ofMillis(4900));
    }

    @Test
    void definiteFailuresEndAtOnce() throws Exception {
        BuildId unknownBuild = newBuild();
        BuildId broken = newBuild();
        UPSTREAM.put(broken, SmallBuild.malformed(broken));
        JsonNode prewarm = awaitEnd(create(unknownBuild, broken));
        assertThat(prewarm.path("complete").asBoolean()).isFalse();
        assertThat(item(prewarm, unknownBuild).path("cause").path("code").asString())
                .isEqualTo("not_found");
        assertThat(item(prewarm, broken).path("cause").path("code").asString()).isEqualTo("unsupported");
        for (BuildId id : List.of(unknownBuild, broken)) {
            assertThat(state(prewarm, id)).isEqualTo("failed");
            assertThat(item(prewarm, id).path("attempts").asInt()).isEqualTo(1);
            assertThat(UPSTREAM.hits(id)).isEqualTo(1);
        }
    }

    @Test
    @ChecklistRow(19)
    void whatSourcesSaidBeforeIsForgotten() throws Exception {
        BuildId id = newBuild();
        assertThat(server.offsets(id, "point").statusCode()).isEqualTo(404);
        UPSTREAM.put(id, SmallBuild.debugFile(id));
        assertThat(server.offsets(id, "point").statusCode())
                .as("the miss holds")
                .isEqualTo(404);
        assertThat(state(awaitEnd(create(id)), id)).isEqualTo("done");
        assertThat(server.offsets(id, "point").statusCode()).isEqualTo(200);
    }

    @Test
    void cancelledBatchBeginsNothingMore() throws Exception {
        BuildId[] held = {availableBuild(), availableBuild()};
        BuildId waiting = availableBuild();
        Arrays.stream(held).forEach(UPSTREAM::hold);
        String location = create(held[0], held[1], waiting);
        for (BuildId id : held) {
            await(server, location, inState(id, "fetching"));
        }
        JsonNode cancelled = cancel(location);
        assertThat(cancelled.path("state").asString()).isEqualTo("cancelled");
        assertThat(state(cancelled, waiting)).isEqualTo("cancelled");
        assertThat(state(cancelled, held[0])).as("work in hand").isEqualTo("fetching");
        assertThat(cancel(location).path("endedAt")).isEqualTo(cancelled.path("endedAt"));
        Arrays.stream(held).forEach(UPSTREAM::release);
        for (BuildId id : held) {
            await(server, location, inState(id, "done"));
        }
        JsonNode end = get(location);
        assertThat(end.path("state").asString()).isEqualTo("cancelled");
        assertThat(end.path("complete").asBoolean()).isFalse();
        assertThat(state(end, waiting)).isEqualTo("cancelled");
        assertThat(UPSTREAM.hits(waiting)).isZero();
        assertThat(audited("prewarm.create", location)).isEqualTo(1);
        assertThat(audited("prewarm.cancel", location)).isEqualTo(1);
        assertThat(server.offsets(held[0], "point").statusCode()).isEqualTo(200);
    }

    @Test
    void cancelledBatchTriesNothingAgain() throws Exception {
        BuildId id = availableBuild();
        UPSTREAM.hold(id);
        UPSTREAM.answerFirst(id, CountingUpstream.status(500));
        String location = create(id);
        await(server, location, inState(id, "fetching"));
        assertThat(state(cancel(location), id)).isEqualTo("fetching");
        UPSTREAM.release(id);
        await(server, location, inState(id, "cancelled"));
        assertThat(UPSTREAM.hits(id)).isEqualTo(1);
    }

    @Test
    void bytesOfARunningDownloadAreTold() throws Exception {
        BuildId id = newBuild();
        byte[] file = Arrays.copyOf(SmallBuild.debugFile(id), 96 << 10);
        CountDownLatch seen = new CountDownLatch(1);
        UPSTREAM.answerFirst(id, UPSTREAM.inTwoHalves(file, seen));
        String location = create(id);
        JsonNode fetching;
        try {
            fetching = item(await(server, location, prewarm -> item(prewarm, id).has("bytes")), id);
        } finally {
            seen.countDown();
        }
        assertThat(fetching.path("state").asString()).isEqualTo("fetching");
        assertThat(fetching.path("totalBytes").asLong()).isEqualTo(file.length);
        assertThat(fetching.path("bytes").asLong()).isBetween(1L, (long) file.length);
        JsonNode end = item(awaitEnd(location), id);
        assertThat(end.path("state").asString()).isEqualTo("done");
        assertThat(end.has("bytes")).isFalse();
    }

    @Test
    @ChecklistRow(34)
    void batchSurvivesARestart() throws Exception {
        BuildId held = availableBuild();
        UPSTREAM.hold(held);
        String location = create(held);
        await(server, location, inState(held, "fetching"));
        server.close();
        assertThat(database.jdbc()
                        .sql("select count(*) from scheduled_tasks where task_name = 'prewarm-item' and not picked")
                        .query(Integer.class)
                        .single())
                .as("what was in hand is given back, for any server to take")
                .isEqualTo(1);
        UPSTREAM.release(held);
        server = start("server");
        JsonNode end = awaitEnd(location);
        assertThat(state(end, held)).isEqualTo("done");
        assertThat(item(end, held).path("attempts").asInt())
                .as("a server that is told to stop counts no attempt")
                .isEqualTo(1);
    }

    @Test
    void onlySoManyMayWait() {
        BuildId[] many =
                Stream.generate(PrewarmsIntegrationTests::newBuild).limit(41).toArray(BuildId[]::new);
        HttpResponse<String> response = post(body("normal", List.of(), many));
        assertThat(response.statusCode()).isEqualTo(503);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("prewarms_full");
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        assertThat(UPSTREAM.hits(many[0])).isZero();
    }

    @Test
    void whatCannotBeReadIsRefusedWithItsPlace() {
        String id = newBuild().toString();
        assertRefused("{\"builds\": [\"" + id + "\", \"xyz\"]}", "builds[1]");
        assertRefused("{\"builds\": []}", "builds");
        assertRefused("{}", "builds");
        assertRefused("[]", "body");
        assertRefused("{\"builds\": [\"" + id + "\"], \"colour\": 1}", "colour");
        assertRefused("{\"builds\": [\"" + id + "\"], \"priority\": \"urgent\"}", "priority");
        assertRefused("{\"builds\": [\"" + id + "\"], \"types\": [\"point\", \"a..b\"]}", "types[1]");
        assertRefused("{\"builds\": [\"" + id + "\"], \"types\": [\"@nosuchset\"]}", "types[0]");
        assertRefused("{\"builds\": [\"" + id + "\"], \"types\": [3]}", "types[0]");
        BuildId[] tooMany =
                Stream.generate(PrewarmsIntegrationTests::newBuild).limit(1001).toArray(BuildId[]::new);
        assertRefused(body("normal", List.of(), tooMany), "builds");
        assertThat(post("{").statusCode()).isEqualTo(400);
    }

    private static void assertRefused(String body, String place) {
        HttpResponse<String> response = post(body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("bad_prewarm");
        assertThat(Json.of(response).path("place").asString()).isEqualTo(place);
    }

    @Test
    void batchThatThereIsNotIsNotFound() {
        for (String id : List.of("00000000-0000-4000-8000-000000000000", "nothing")) {
            HttpResponse<String> response = server.get("/v1/prewarms/" + id, publisher.authorized());
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(Json.of(response).path("code").asString()).isEqualTo("prewarm_not_found");
        }
    }

    @Test
    void batchesAreListedNewestFirst() throws Exception {
        String older = create(availableBuild());
        String newer = create(availableBuild());
        awaitEnd(older);
        awaitEnd(newer);
        JsonNode first = get("/v1/prewarms?limit=1");
        assertThat(first.path("prewarms").size()).isEqualTo(1);
        JsonNode entry = first.path("prewarms").path(0);
        assertThat("/v1/prewarms/" + entry.path("id").asString()).isEqualTo(newer);
        assertThat(entry.path("counts").path("done").asInt()).isEqualTo(1);
        assertThat(entry.path("complete").asBoolean()).isTrue();
        assertThat(entry.has("items")).isFalse();
        JsonNode second = get(first.path("next").asString());
        assertThat("/v1/prewarms/" + second.path("prewarms").path(0).path("id").asString())
                .isEqualTo(older);
    }

    @Test
    void endedBatchesAreForgotten() throws Exception {
        String location = create(availableBuild());
        awaitEnd(location);
        database.jdbc()
                .sql("update prewarms set ended_at = now() - interval '91 days' where id = :id::uuid")
                .param("id", location.substring(location.lastIndexOf('/') + 1))
                .update();
        // More than one transaction deletes.
        database.jdbc().sql("""
                        insert into prewarms (id, digest, state, priority, types, created_by, ended_at)
                        select gen_random_uuid(), sha256(n::text::bytea), 'done', 'low', '{}', 'ci', now() - interval '91 days'
                        from generate_series(1, 44) n
                        """).update();
        assertThat(server.bean(PrewarmTable.class).forget(Duration.ofDays(90))).isEqualTo(45);
        assertThat(server.get(location, publisher.authorized()).statusCode()).isEqualTo(404);
    }

    private static int audited(String action, String location) {
        return database.jdbc()
                .sql("select count(*) from audit where action = :action and subject = :id")
                .param("action", action)
                .param("id", location.substring(location.lastIndexOf('/') + 1))
                .query(Integer.class)
                .single();
    }
}
