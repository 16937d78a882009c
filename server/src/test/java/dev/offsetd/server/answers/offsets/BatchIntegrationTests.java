package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.answers.HeldBodies;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Queries for many builds in one request. */
class BatchIntegrationTests {

    private static final String PATH = "/v1/offsets";
    private static final int BURST = 60;

    @TempDir
    private static Path folder;

    private static GatedUpstream gated;
    private static TestServer server;

    /** Server whose only upstream never answers, with a rate limit for clients without a token. */
    private static TestServer waiting;

    @BeforeAll
    static void start() throws IOException {
        Path debug = folder.resolve("debug");
        SmallBuild.putInto(debug, SmallBuild.debugFile());
        ShapesBuild.putInto(debug);
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + debug);
        gated = new GatedUpstream(SmallBuild.debugFile());
        waiting = TestServer.start(
                folder.resolve("waiting"),
                TestDatabase.create(),
                "offsetd.upstreams.urls=" + gated.url(),
                "offsetd.rate-limit.address-requests=1",
                "offsetd.rate-limit.address-burst=" + BURST);
    }

    @AfterAll
    static void stop() {
        server.close();
        waiting.close();
        gated.close();
    }

    private static HttpResponse<String> post(TestServer to, String body, String... headers) {
        String[] all = new String[headers.length + 2];
        all[0] = "Content-Type";
        all[1] = "application/json";
        System.arraycopy(headers, 0, all, 2, headers.length);
        return to.post(PATH, body, all);
    }

    private static String query(Object buildId, String types) {
        return "{\"buildId\": \"" + buildId + "\", \"types\": " + types + "}";
    }

    @Test
    void everyQueryHasItsStatusInOrder() {
        HttpResponse<String> response = post(
                server,
                "["
                        + String.join(
                                ",",
                                query(SmallBuild.ID, "\"point,nope\""),
                                query("xyz", "\"point\""),
                                query(ShapesBuild.ID, "[\"point.y\", \"colour\"]"),
                                query(SmallBuild.UNKNOWN_ID, "\"point\""),
                                query(SmallBuild.ID, "\"a[\""),
                                "{\"buildId\": \"" + SmallBuild.ID + "\", \"types\": \"point\", \"view\": \"all\"}",
                                "{\"buildId\": \"" + SmallBuild.ID + "\", \"types\": \"point\", \"lang\": \"klingon\"}",
                                "{\"buildId\": \"" + SmallBuild.ID + "\", \"typs\": \"point\"}",
                                "{\"buildId\": \"" + SmallBuild.ID + "\"}",
                                "7",
                                query(SmallBuild.ID, "[]"))
                        + "]");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        JsonNode answers = Json.of(response).path("answers");
        assertThat(answers.valueStream().map(answer -> answer.path("status").asInt()))
                .containsExactly(200, 400, 200, 404, 400, 400, 400, 400, 400, 400, 400);
        assertThat(answers.valueStream()
                        .map(answer -> answer.path("problem").path("code").asString("")))
                .containsExactly(
                        "",
                        "bad_build_id",
                        "",
                        "build_not_found",
                        "bad_item",
                        "bad_view",
                        "bad_language",
                        "unknown_parameter",
                        "bad_body",
                        "bad_body",
                        "bad_item");
        assertThat(answers.get(0)
                        .path("answer")
                        .path("offsets")
                        .path("point")
                        .path("size")
                        .asInt())
                .isEqualTo(8);
        assertThat(answers.get(1).path("buildId").isNull()).isTrue();
        assertThat(answers.get(2).path("answer").path("complete").asBoolean()).isTrue();
        assertThat(answers.get(3).path("problem").path("buildId").asString())
                .isEqualTo(SmallBuild.UNKNOWN_ID.toString());
        assertThat(answers.get(3).path("problem").path("instance").asString())
                .isEqualTo("/v1/offsets/" + SmallBuild.UNKNOWN_ID);
        assertThat(answers.get(4).path("problem").path("position").asInt()).isEqualTo(2);
    }

    @Test
    void answersAreThoseOfTheSingleQueries() {
        String body = "{\"queries\": ["
                + query(SmallBuild.ID, "\"line\"") + "," + query(SmallBuild.ID, "\"line\"")
                + ", {\"buildId\": \"" + SmallBuild.ID.toString().toUpperCase(java.util.Locale.ROOT)
                + "\", \"types\": \"point\", \"view\": \"flat\", \"lang\": \"c\"}]}";
        JsonNode answers = Json.of(post(server, body)).path("answers");
        JsonNode line = Json.of(server.offsets(SmallBuild.ID, "line"));
        assertThat(answers.get(0).path("answer")).isEqualTo(line);
        assertThat(answers.get(1).path("answer")).isEqualTo(line);
        assertThat(answers.get(2).path("buildId").asString()).isEqualTo(SmallBuild.ID.toString());
        assertThat(answers.get(2).path("answer"))
                .isEqualTo(Json.of(server.get(PATH + "/" + SmallBuild.ID + "?types=point&view=flat&lang=c")));

        HttpResponse<byte[]> cbor = server.cbor(
                "POST",
                PATH,
                BodyPublishers.ofString(body),
                "Content-Type",
                "application/json",
                "Accept",
                "application/cbor");
        assertThat(Cbor.of(cbor).path("answers")).isEqualTo(answers);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "'' -> bad_body",
                "{ -> bad_body",
                "[] -> bad_body",
                "7 -> bad_body",
                "{} -> bad_body",
                "{\"queries\": 7} -> bad_body",
                "{\"queries\": [], \"more\": 1} -> bad_body",
                "[] x -> bad_body"
            })
    void onlyABodyThatCannotBeReadIsAProblemOfAll(String body, String code) {
        HttpResponse<String> response = post(server, body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
    }

    @Test
    void answersForWhichNoMemoryIsLeftUntilTheSlowestOneAreRefused() {
        String body = "[" + query(SmallBuild.ID, "\"point\"") + "," + query("xyz", "\"point\"") + "]";
        JsonNode answers;
        try (HeldBodies _ = new HeldBodies()) {
            answers = Json.of(post(server, body)).path("answers");
        }
        assertThat(answers.valueStream().map(answer -> answer.path("status").asInt()))
                .containsExactly(503, 400);
        assertThat(answers.get(0).path("buildId").asString()).isEqualTo(SmallBuild.ID.toString());
        assertThat(answers.get(0).path("problem").path("code").asString()).isEqualTo("busy");
        assertThat(answers.get(0).path("problem").path("retryAfter").asInt()).isPositive();
        assertThat(Json.of(post(server, body))
                        .path("answers")
                        .get(0)
                        .path("status")
                        .asInt())
                .isEqualTo(200);
    }

    @Test
    void moreThanFiftyQueriesAreTooMany() {
        String one = query(SmallBuild.ID, "\"point\"");
        assertThat(Json.of(post(server, Collections.nCopies(50, one).toString()))
                        .path("answers")
                        .valueStream()
                        .map(answer -> answer.path("status").asInt())
                        .distinct())
                .containsExactly(200);
        HttpResponse<String> response =
                post(server, Collections.nCopies(51, one).toString());
        assertThat(response.statusCode()).isEqualTo(413);
        assertThat(Json.of(response).path("limit").asInt()).isEqualTo(50);
    }

    @Test
    void batchWaitsForItsBuildsInParallelAndCountsAsItsQueries() {
        List<String> queries = java.util.stream.IntStream.range(0, 10)
                .mapToObj(i -> query("%040x".formatted(i + 1), "\"point\""))
                .toList();
        Instant begin = Instant.now();
        HttpResponse<String> response = post(waiting, queries.toString(), "Prefer", "wait=3");
        // Sequential waits would take 30 seconds.
        assertThat(Duration.between(begin, Instant.now())).isLessThan(Duration.ofSeconds(25));
        assertThat(response.headers().firstValue("Preference-Applied")).contains("wait=3");
        JsonNode answers = Json.of(response).path("answers");
        assertThat(answers.size()).isEqualTo(10);
        for (JsonNode answer : answers) {
            assertThat(answer.path("status").asInt()).isEqualTo(202);
            assertThat(answer.path("location").asString())
                    .isEqualTo("/v1/builds/" + answer.path("buildId").asString());
            assertThat(answer.path("retryAfter").asInt()).isPositive();
            assertThat(answer.path("build").path("buildId")).isEqualTo(answer.path("buildId"));
        }
        long left = Json.of(waiting.get("/v1/whoami"))
                .path("rateLimit")
                .path("remaining")
                .asLong();
        assertThat(left).isBetween(BURST - 10L, BURST - 1L);
    }

    private static JsonNode only(String query) {
        return Json.of(post(server, "[" + query + "]")).path("answers").path(0);
    }

    @Test
    void validatorOfAResultAnswersNotModified() {
        String begin = "{\"buildId\": \"" + SmallBuild.ID + "\", \"types\": \"point\", \"ifNoneMatch\": ";
        String etag = only(query(SmallBuild.ID, "\"point\"")).path("etag").asString();
        assertThat(server.offsets(SmallBuild.ID, "point").headers().firstValue("ETag"))
                .contains(etag);
        for (String tags : List.of(etag, "\"other\", W/" + etag, "*")) {
            JsonNode unchanged = only(begin + "\"" + tags.replace("\"", "\\\"") + "\"" + "}");
            assertThat(unchanged.path("status").asInt()).as(tags).isEqualTo(304);
            assertThat(unchanged.path("etag").asString()).isEqualTo(etag);
            assertThat(unchanged.has("answer")).isFalse();
        }
        JsonNode changed = only(begin + "\"\\\"other\\\"\"}");
        assertThat(changed.path("status").asInt()).isEqualTo(200);
        assertThat(changed.has("answer")).isTrue();
    }

    @Test
    void idsOfTheCallerComeBackWithEveryResult() {
        String id = "i".repeat(128);
        String rest = "\"types\": \"point\", \"buildId\": \"";
        JsonNode found = only("{\"id\": \"" + id + "\", " + rest + SmallBuild.ID + "\"}");
        assertThat(found.path("status").asInt()).isEqualTo(200);
        assertThat(found.path("id").asString()).isEqualTo(id);
        JsonNode bad = only("{\"id\": \"mine\", " + rest + "xyz\"}");
        assertThat(bad.path("status").asInt()).isEqualTo(400);
        assertThat(bad.path("id").asString()).isEqualTo("mine");
        for (String refused : List.of("7", "\"" + id + "i\"")) {
            JsonNode reply = only("{\"id\": " + refused + ", " + rest + SmallBuild.ID + "\"}");
            assertThat(reply.path("problem").path("code").asString()).isEqualTo("bad_body");
            assertThat(reply.path("problem").path("detail").asString())
                    .contains("id is", "a string of at most 128 characters");
            assertThat(reply.path("problem").path("place").asString()).isEqualTo("id");
            assertThat(reply.has("id")).isFalse();
        }
    }

    @Test
    void batchIsNotAvailableAsText() {
        assertThat(post(server, "[]", "Accept", "text/plain").statusCode()).isEqualTo(406);
    }
}
