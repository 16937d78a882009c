package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.web.Wait;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The main job over HTTP, with an upstream that works. */
class OffsetsIntegrationTests {

    private static final String PATH = "/v1/offsets/" + SmallBuild.ID;

    @TempDir
    private static Path data;

    private static FaultServer upstream;
    private static TestServer server;

    @BeforeAll
    static void start() {
        upstream = FaultServer.serving(SmallBuild.debugFile(), new byte[0]);
        server = TestServer.start(data, TestDatabase.create(), "offsetd.upstreams.urls=" + upstream.url("ok"));
    }

    @AfterAll
    static void stop() {
        server.close();
        upstream.close();
    }

    @Test
    void structIsAnsweredWithItsFieldsAndItsProvenance() throws Exception {
        HttpResponse<String> response = server.offsets(SmallBuild.ID, "point,line.to,nope");
        assertThat(response.statusCode()).isEqualTo(200);
        JsonNode answer = Json.of(response);
        assertThat(answer.path("schemaVersion").asInt()).isEqualTo(1);
        assertThat(answer.path("buildId").asString()).isEqualTo(SmallBuild.ID.toString());
        assertThat(answer.path("arch").path("machine").asString()).isEqualTo("x86_64");
        assertThat(answer.path("complete").asBoolean()).isFalse();
        JsonNode point = Json.item(response, "point");
        assertThat(point.path("size").asInt()).isEqualTo(8);
        assertThat(point.path("fields").path("y").path("offset").asInt()).isEqualTo(4);
        assertThat(Json.item(response, "line.to").path("offset").asInt()).isEqualTo(4);
        assertThat(Json.item(response, "nope").path("status").asString()).isEqualTo("type_not_found");
        JsonNode provenance =
                answer.path("provenance").path(point.path("source").asString());
        assertThat(provenance.path("origin").asString()).isEqualTo("debuginfod");
        assertThat(provenance.path("upstream").asString()).isEqualTo(upstream.url("ok"));
        assertThat(provenance.path("verified").asString()).isEqualTo("build-id note");
        assertThat(provenance.path("sha256").asString()).isEqualTo(sha256(SmallBuild.debugFile()));
    }

    @Test
    void laterQueriesDoNotReachTheUpstream() {
        server.offsets(SmallBuild.ID, "point");
        int hits = upstream.hits("ok");
        assertThat(server.offsets(SmallBuild.ID, "line").statusCode()).isEqualTo(200);
        assertThat(server.offsets(SmallBuild.ID, "struct point.x").statusCode()).isEqualTo(200);
        assertThat(upstream.hits("ok")).isEqualTo(hits);
    }

    @Test
    void buildIdMayBeInUpperCase() {
        HttpResponse<String> response = server.offsets(SmallBuild.ID.toString().toUpperCase(Locale.ROOT), "point");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Json.of(response).path("buildId").asString()).isEqualTo(SmallBuild.ID.toString());
    }

    @Test
    void typesMayRepeatAndPlusIsASpace() {
        HttpResponse<String> response = server.get(PATH + "?types=struct+point&types=line,union+point%7Cline.to");
        assertThat(Json.of(response).path("complete").asBoolean()).isTrue();
        assertThat(Json.item(response, "struct point").path("kind").asString()).isEqualTo("struct");
        assertThat(Json.item(response, "union point|line.to").path("matched").asString())
                .isEqualTo("line.to");
    }

    @Test
    void viewsAreWhatTheContractSays() {
        assertThat(Json.item(server.get(PATH + "?types=point&view=flat"), "point.y")
                        .toString())
                .isEqualTo("[4,4]");
        JsonNode members = Json.item(server.get(PATH + "?types=point&view=members"), "point")
                .path("members");
        assertThat(members.size()).isEqualTo(2);
        assertThat(members.get(1).path("name").asString()).isEqualTo("y");
    }

    @Test
    void languageThatTheBuildDoesNotHaveFindsNothing() {
        assertThat(Json.item(server.get(PATH + "?types=point&lang=rust"), "point")
                        .path("status")
                        .asString())
                .isEqualTo("type_not_found");
        assertThat(Json.item(server.get(PATH + "?types=point&lang=c"), "point")
                        .path("status")
                        .asString())
                .isEqualTo("found");
    }

    @Test
    void sameQueryHasTheSameBytesAndStrongValidator() throws Exception {
        HttpResponse<String> first = server.offsets(SmallBuild.ID, "point,line");
        HttpResponse<String> second = server.offsets(SmallBuild.ID, "point,line");
        assertThat(second.body()).isEqualTo(first.body());
        String etag = header(first, "ETag");
        assertThat(etag).isEqualTo('"' + sha256(first.body().getBytes(StandardCharsets.UTF_8)) + '"');
        assertThat(header(second, "ETag")).isEqualTo(etag);
        assertThat(header(server.offsets(SmallBuild.ID, "point"), "ETag")).isNotEqualTo(etag);
    }

    @Test
    void callerThatHasTheAnswerGetsNoBody() {
        HttpResponse<String> first = server.offsets(SmallBuild.ID, "point");
        String etag = header(first, "ETag");
        HttpResponse<String> again = server.offsets(SmallBuild.ID, "point", "If-None-Match", "\"other\", " + etag);
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(again.body()).isEmpty();
        assertThat(header(again, "ETag")).isEqualTo(etag);
        assertThat(header(again, "Cache-Control")).isEqualTo(header(first, "Cache-Control"));
        assertThat(header(again, "Vary")).isEqualTo(header(first, "Vary"));
        assertThat(server.offsets(SmallBuild.ID, "point", "If-None-Match", "\"other\"")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void cachesMayKeepAWholeAnswerLongerThanOneWithHoles() {
        HttpResponse<String> complete = server.offsets(SmallBuild.ID, "point");
        assertThat(header(complete, "Cache-Control")).isEqualTo("public, max-age=60, stale-while-revalidate=300");
        assertThat(header(complete, "Vary")).isEqualTo("Accept, Accept-Encoding");
        assertThat(header(server.offsets(SmallBuild.ID, "nope"), "Cache-Control"))
                .isEqualTo("public, max-age=10");
    }

    @Test
    void headHasTheHeadersOfGet() {
        HttpResponse<String> get = server.offsets(SmallBuild.ID, "point");
        HttpResponse<String> head = server.head(PATH + "?types=point");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        for (String name : new String[] {"ETag", "Content-Type", "Content-Length", "Cache-Control", "Vary"}) {
            assertThat(header(head, name)).as(name).isEqualTo(header(get, name));
        }
    }

    @Test
    void postAnswersTheSameButIsNotForCaches() {
        HttpResponse<String> get = server.offsets(SmallBuild.ID, "point,line.to");
        HttpResponse<String> post = server.post(PATH, "[\"point\", \"line.to\"]", "Content-Type", "application/json");
        assertThat(post.statusCode()).isEqualTo(200);
        assertThat(post.body()).isEqualTo(get.body());
        assertThat(header(post, "Cache-Control")).isEqualTo("no-store");
        assertThat(post.headers().firstValue("ETag")).isEmpty();
    }

    @Test
    void browserGetsJson() {
        HttpResponse<String> response = server.offsets(SmallBuild.ID, "point", "Accept", "text/html");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Content-Type")).isEqualTo("application/json");
    }

    @Test
    void requestIdComesBackUnlessItIsUnfit() {
        assertThat(header(server.offsets(SmallBuild.ID, "point", "X-Request-ID", "job-7/a"), "X-Request-ID"))
                .isEqualTo("job-7/a");
        assertThat(header(server.offsets(SmallBuild.ID, "point", "X-Request-ID", "a b"), "X-Request-ID"))
                .isNotEqualTo("a b")
                .hasSize(36);
        HttpResponse<String> problem = server.get("/v1/offsets/xyz", "X-Request-ID", "job-8");
        assertThat(Json.of(problem).path("requestId").asString()).isEqualTo("job-8");
    }

    @Test
    void buildTellsWhatIsStored() {
        server.offsets(SmallBuild.ID, "point");
        JsonNode build = Json.of(server.get("/v1/builds/" + SmallBuild.ID));
        assertThat(build.path("state").asString()).isEqualTo("extracted");
        assertThat(build.path("provenance").path("bytes").asInt()).isEqualTo(SmallBuild.debugFile().length);
        assertThat(build.path("checked").get(0).path("outcome").asString()).isEqualTo("fetched");
        assertThat(server.get("/v1/builds/" + SmallBuild.UNKNOWN_ID).statusCode())
                .isEqualTo(404);
    }

    @Test
    void versionsAreTold() {
        JsonNode version = Json.of(server.get("/version"));
        assertThat(version.path("version").asString()).isNotBlank();
        assertThat(version.path("extractor").asString()).isEqualTo(Integer.toString(PartVersions.TYPES));
        assertThat(version.path("schemaVersion").asInt())
                .isEqualTo(Json.of(server.offsets(SmallBuild.ID, "point"))
                        .path("schemaVersion")
                        .asInt());
        assertThat(version.path("databaseSchema").asInt()).isPositive();
    }

    @Test
    void workThatTakesLongerThanTheClientWaitsIsInProgress(@TempDir Path folder) throws Exception {
        try (GatedUpstream gated = new GatedUpstream(SmallBuild.debugFile());
                TestServer waiting =
                        TestServer.start(folder, TestDatabase.create(), "offsetd.upstreams.urls=" + gated.url())) {
            HttpResponse<String> response = waiting.offsets(SmallBuild.ID, "point", "Prefer", "wait=0");
            assertThat(response.statusCode()).isEqualTo(202);
            // There is nothing to say about it in C.
            HttpResponse<String> text =
                    waiting.offsets(SmallBuild.ID, "point", "Prefer", "wait=0", "Accept", "text/plain");
            assertThat(text.statusCode()).isEqualTo(202);
            assertThat(text.headers().firstValue("Content-Type")).contains("application/json");
            assertThat(header(response, "Preference-Applied")).isEqualTo("wait=0");
            assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
            assertThat(Integer.parseInt(header(response, "Retry-After"))).isPositive();
            String location = header(response, "Location");
            assertThat(waiting.get(location).statusCode()).isEqualTo(200);
            gated.open();
            HttpResponse<String> answered = waiting.offsets(SmallBuild.ID, "point", "Prefer", "wait=30");
            assertThat(answered.statusCode()).isEqualTo(200);
            assertThat(header(answered, "Preference-Applied")).isEqualTo("wait=30");
            assertThat(Json.of(waiting.get(location)).path("state").asString()).isEqualTo("extracted");
            assertThat(gated.hits()).isEqualTo(1);
        }
    }

    @Test
    void whatCannotBeReadAnyMoreIsExtractedAnew(@TempDir Path folder) {
        TestDatabase database = TestDatabase.create();
        String url = "offsetd.upstreams.urls=" + upstream.url("ok");
        try (TestServer first = TestServer.start(folder.resolve("a"), database, url)) {
            assertThat(first.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        }
        database.jdbc().sql("update catalogues set blob = 'garbage'::bytea").update();
        try (TestServer second = TestServer.start(folder.resolve("a"), database, url)) {
            assertThat(Json.item(second.offsets(SmallBuild.ID, "line"), "line")
                            .path("status")
                            .asString())
                    .isEqualTo("found");
        }
    }

    /** A query of a directory that was opened before its build was replaced reads the bytes of the next one. */
    @Test
    void queryThatReadsSlicesOfTwoResultsIsRunAgainOnTheLater(@TempDir Path folder) {
        TestDatabase database = TestDatabase.create();
        String url = "offsetd.upstreams.urls=" + upstream.url("ok");
        try (TestServer own = TestServer.start(folder, database, url)) {
            assertThat(own.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            database.jdbc().sql("update debug_files set extractor_version = 1").update();
            AtomicInteger runs = new AtomicInteger();
            BuildAccess answered = own.bean(BuildQueries.class).answer(request(Duration.ofSeconds(10)), access -> {
                if (runs.getAndIncrement() == 0) {
                    database.jdbc()
                            .sql("update debug_files set extractor_version = " + PartVersions.TYPES
                                    + "; update builds set generation = generation + 1")
                            .update();
                    throw new CorruptBlobException("slice of the next result");
                }
                return access;
            });
            assertThat(answered).isInstanceOf(BuildAccess.Stored.class);
            assertThat(runs).hasValue(2);
        }
    }

    @Test
    void damageThatIsFoundLateDoesNotProlongTheWait(@TempDir Path folder) {
        TestDatabase database = TestDatabase.create();
        String url = "offsetd.upstreams.urls=" + upstream.url("ok");
        try (TestServer own = TestServer.start(folder, database, url)) {
            assertThat(own.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            long began = System.nanoTime();
            BuildAccess late = own.bean(BuildQueries.class).answer(request(Duration.ofSeconds(8)), access -> {
                if (access instanceof BuildAccess.InProgress) {
                    return access;
                }
                // Another server works on the build meanwhile.
                database.jdbc()
                        .sql("update extraction_lease set owner = 'other', lease_until = now() + interval '1 minute'")
                        .update();
                LockSupport.parkNanos(Duration.ofSeconds(7).toNanos());
                throw new CorruptBlobException("damage");
            });
            assertThat(late).isInstanceOf(BuildAccess.InProgress.class);
            // A second wait would end 15 seconds after the beginning.
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofMillis(14_500));
        }
    }

    private static BuildRequest request(Duration wait) {
        return new BuildRequest(SmallBuild.ID, Caller.operator(), BuildRequest.Part.TYPES, new Wait(wait, true), null);
    }

    @Test
    void serverThatStopsDoesNotKeepItsCallersWaiting(@TempDir Path folder) throws Exception {
        try (GatedUpstream gated = new GatedUpstream(SmallBuild.debugFile());
                HttpClient http = HttpClient.newHttpClient()) {
            TestDatabase database = TestDatabase.create();
            TestServer stopping = TestServer.start(folder, database, "offsetd.upstreams.urls=" + gated.url());
            CompletableFuture<HttpResponse<String>> call = http.sendAsync(
                    HttpRequest.newBuilder(URI.create(stopping.url() + PATH + "?types=point"))
                            .header("Prefer", "wait=30")
                            .build(),
                    BodyHandlers.ofString());
            while (gated.hits() == 0) {
                Thread.sleep(20);
            }
            stopping.close();
            assertThat(call).succeedsWithin(Duration.ofSeconds(20)).satisfies(response -> {
                assertThat(response.statusCode()).isEqualTo(202);
                assertThat(response.headers().firstValue("Retry-After")).isPresent();
            });
            assertThat(database.jdbc()
                            .sql("select owner is null from extraction_lease")
                            .query(Boolean.class)
                            .single())
                    .as("another server can take over at once")
                    .isTrue();
        }
    }

    @Test
    void postThatIsTooLargeSaysTheLimit() {
        HttpResponse<String> tooManyBytes = server.send(
                "POST", PATH, BodyPublishers.ofString(" ".repeat(300_000)), "Content-Type", "application/json");
        assertThat(tooManyBytes.statusCode()).isEqualTo(413);
        assertThat(Json.of(tooManyBytes).path("limit").asInt()).isEqualTo(262_144);
        HttpResponse<String> tooManyItems =
                server.post(PATH, "[" + "\"a\",".repeat(500) + "\"a\"]", "Content-Type", "application/json");
        assertThat(tooManyItems.statusCode()).isEqualTo(413);
        assertThat(Json.of(tooManyItems).path("limit").asInt()).isEqualTo(500);
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElseThrow();
    }

    private static String sha256(byte[] bytes) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
