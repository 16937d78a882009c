package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.ApiAuthenticator;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.access.tokens.Tokens.NewToken;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.operations.changes.Freshness;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Representation;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.unit.DataSize;

/** A cached answer equals the one that the whole filter chain gives, and needs the same authorization. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AnswerCacheIntegrationTests {

    /** Enough items for an answer that is worth compressing. */
    private static final String ITEMS =
            IntStream.range(0, 10).mapToObj(i -> "point|other_" + i).collect(Collectors.joining(","));

    private static final String PATH = "/v1/offsets/" + SmallBuild.ID;
    private static final String QUESTION = PATH + "?types=" + TestServer.escape(ITEMS);

    /** Headers that differ between two identical requests. */
    private static final Set<String> OF_THE_REQUEST = Set.of("date", "x-request-id");

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private TestServer open;
    private TestServer closed;
    private String reader = "";

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        String debug = "offsetd.local-folders=" + folder.resolve("debug");
        open = TestServer.start(folder.resolve("open"), TestDatabase.create(), debug, "offsetd.offline=true");
        closed = TestServer.start(
                folder.resolve("closed"),
                TestDatabase.create(),
                debug,
                "offsetd.offline=true",
                "offsetd.read-auth=true",
                "offsetd.rate-limit.token-requests=1",
                "offsetd.rate-limit.token-burst=1000");
        reader = "Bearer " + token().text();
    }

    @AfterAll
    void stop() {
        http.close();
        open.close();
        closed.close();
    }

    private NewToken token() {
        return closed.bean(Tokens.class)
                .create("profilers", Set.of(Scope.READ), Duration.ofHours(1), Actor.operator("test"));
    }

    private HttpResponse<byte[]> send(TestServer server, String method, String target, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server.url() + target)).method(method, BodyPublishers.noBody());
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        try {
            return http.send(request.build(), BodyHandlers.ofByteArray());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, List<String>> lasting(HttpResponse<?> response) {
        return response.headers().map().entrySet().stream()
                .filter(header -> !OF_THE_REQUEST.contains(header.getKey().toLowerCase(Locale.ROOT)))
                .collect(Collectors.toMap(
                        header -> header.getKey().toLowerCase(Locale.ROOT),
                        header -> header.getKey().equalsIgnoreCase("Vary")
                                ? members(header.getValue())
                                : header.getValue().stream().sorted().toList()));
    }

    /** Returns the members of a list, which may be in one header line or in several. */
    private static List<String> members(List<String> lines) {
        return Stream.of(String.join(",", lines).split(",", -1))
                .map(String::strip)
                .sorted()
                .toList();
    }

    /** Sends a request twice, asserts that the answers are equal, and returns the answer. */
    private HttpResponse<byte[]> sameBothTimes(TestServer server, String method, String... headers) {
        server.forgetAnswers();
        HttpResponse<byte[]> first = send(server, method, QUESTION, headers);
        HttpResponse<byte[]> known = send(server, method, QUESTION, headers);
        assertThat(known.statusCode()).isEqualTo(first.statusCode());
        assertThat(lasting(known)).isEqualTo(lasting(first));
        assertThat(known.body()).isEqualTo(first.body());
        return known;
    }

    private boolean goesOn(TestServer server, MockHttpServletRequest request) throws Exception {
        MockFilterChain rest = new MockFilterChain();
        new AnswerCacheFilter(server.bean(AnswerCache.class), server.bean(ApiAuthenticator.class))
                .doFilter(request, new MockHttpServletResponse(), rest);
        return rest.getRequest() != null;
    }

    private static MockHttpServletRequest request(String method, String path, String query) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, path);
        request.setQueryString(query);
        request.setRemoteAddr("127.0.0.1");
        return request;
    }

    @ParameterizedTest
    @CsvSource({
        "GET, Accept, */*",
        "GET, Accept, application/cbor",
        "GET, Accept, text/plain",
        "GET, Accept, text/x-c",
        "GET, Accept-Encoding, gzip",
        "GET, Prefer, wait=3",
        "GET, If-None-Match, *",
        "HEAD, Accept, */*",
        "HEAD, Accept-Encoding, gzip",
    })
    void knownAnswerHasTheHeadersAndBytesOfTheFirst(String method, String name, String value) {
        HttpResponse<byte[]> known = sameBothTimes(open, method, name, value);
        assertThat(known.statusCode()).isEqualTo(name.equals("If-None-Match") ? 304 : 200);
        assertThat(known.headers().firstValue("Cache-Control"))
                .hasValueSatisfying(control -> assertThat(control).startsWith("public, max-age=60"));
        sameBothTimes(closed, method, name, value, "Authorization", reader);
    }

    @Test
    void knownAnswerIsForTheCallersOwnCacheWhereReadingIsClosed() {
        HttpResponse<byte[]> known = sameBothTimes(closed, "GET", "Authorization", reader);
        assertThat(known.headers().allValues("Cache-Control"))
                .containsExactly("private, max-age=60, stale-while-revalidate=300");
        assertThat(String.join(", ", known.headers().allValues("Vary")))
                .contains("Authorization", "Accept", "Accept-Encoding");
        assertThat(known.headers().firstValue("Content-Security-Policy"))
                .contains("default-src 'none'; frame-ancestors 'none'");
    }

    @Test
    void compressedAnswerIsTheSameWithAnotherTag() throws IOException {
        HttpResponse<byte[]> plain = sameBothTimes(open, "GET");
        HttpResponse<byte[]> packed = sameBothTimes(open, "GET", "Accept-Encoding", "gzip");
        assertThat(plain.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(packed.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(packed.headers().firstValue("ETag"))
                .isNotEqualTo(plain.headers().firstValue("ETag"));
        try (GZIPInputStream unpacked = new GZIPInputStream(new ByteArrayInputStream(packed.body()))) {
            assertThat(unpacked.readAllBytes()).isEqualTo(plain.body());
        }
    }

    @Test
    void smallAnswerIsSentAsItIs() {
        for (int i = 0; i < 2; i++) {
            HttpResponse<byte[]> answer = send(open, "GET", PATH + "?types=point", "Accept-Encoding", "gzip");
            assertThat(answer.body()).hasSizeLessThan(Answer.LEAST_ENCODED);
            assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"%s; 304", "W/%s; 304", "\"a\", %s; 304", "*; 304", "\"a\"; 200"})
    void conditionIsReadAsTheRfcSays(String condition, int status) {
        String tag = send(open, "GET", QUESTION).headers().firstValue("ETag").orElseThrow();
        HttpResponse<byte[]> answer = sameBothTimes(open, "GET", "If-None-Match", condition.replace("%s", tag));
        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.headers().firstValue("ETag")).contains(tag);
    }

    @Test
    void refusalsAreTheSameWhetherTheAnswerIsKnownOrNot() {
        send(closed, "GET", QUESTION, "Authorization", reader);
        for (String[] headers : new String[][] {{}, {"Authorization", "Bearer offsetd_x"}}) {
            HttpResponse<byte[]> known = send(closed, "GET", QUESTION, headers);
            HttpResponse<byte[]> unknown = send(closed, "GET", PATH + "?types=line", headers);
            assertThat(known.statusCode()).isEqualTo(401);
            assertThat(lasting(known)).isEqualTo(lasting(unknown));
        }
    }

    @Test
    void badTokenIsCountedOnce() {
        send(closed, "GET", QUESTION, "Authorization", reader);
        MeterRegistry meters = closed.bean(MeterRegistry.class);
        double before =
                meters.counter("offsetd.tokens.refused", "reason", "malformed").count();
        send(closed, "GET", QUESTION, "Authorization", "Bearer offsetd_x");
        assertThat(meters.counter("offsetd.tokens.refused", "reason", "malformed")
                        .count())
                .isEqualTo(before + 1);
    }

    @Test
    void everyRequestCountsOnceAgainstTheLimit() {
        String bearer = "Bearer " + token().text();
        for (String query : List.of(QUESTION, PATH + "?types=line&types=point", PATH + "?types=")) {
            send(closed, "GET", query, "Authorization", bearer);
            long began = System.nanoTime();
            long before = remaining(bearer);
            for (int i = 0; i < 20; i++) {
                send(closed, "GET", query, "Authorization", bearer);
            }
            // The limit refills at one request per second.
            long grantedAnew = Duration.ofNanos(System.nanoTime() - began).toSeconds() + 2;
            assertThat(before - remaining(bearer)).as(query).isBetween(20 - grantedAnew, 20L);
        }
    }

    private long remaining(String bearer) {
        return Json.of(closed.get("/v1/whoami", "Authorization", bearer))
                .path("rateLimit")
                .path("remaining")
                .asLong();
    }

    @Test
    void revokedTokenGetsNoKnownAnswer() throws InterruptedException {
        NewToken token = token();
        String bearer = "Bearer " + token.text();
        assertThat(send(closed, "GET", QUESTION, "Authorization", bearer).statusCode())
                .isEqualTo(200);
        closed.bean(Tokens.class).revoke(token.token().id(), Actor.operator("test"));
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (send(closed, "GET", QUESTION, "Authorization", bearer).statusCode() != 401) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(20);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//v1/offsets/ID",
                "/v1//offsets/ID",
                "/v1/offsets/ID/",
                "/v1/offsets/ID;x",
                "/v1/offsets;x/ID",
                "/v1/offsets/../offsets/ID",
                "/v1/%6fffsets/ID",
                "/v1/offsets/%30ID",
                "/v1/offsets/ID%00",
                "/v1/offsets/ID/x",
                "/v1/builds/ID",
                "/v1/offsets/",
                "/V1/offsets/ID"
            })
    void onlyThePathItselfIsAnswered(String path) throws Exception {
        send(open, "GET", QUESTION);
        assertThat(goesOn(open, request("GET", PATH, "types=" + ITEMS))).isFalse();
        assertThat(goesOn(open, request("GET", path.replace("ID", SmallBuild.ID.toString()), "types=" + ITEMS)))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "POST; types=%s",
                "OPTIONS; types=%s",
                "GET; ''",
                "GET; types=%s&x=1",
                "GET; types=%s&view=x",
                "GET; types=%s%%zz",
                "GET; types=%s<",
                "GET; types=line|point",
                "GET; types=%s&view=flat"
            })
    void onlyTheSameQueryIsAnsweredFromTheCache(String method, String query) throws Exception {
        send(open, "GET", QUESTION);
        assertThat(goesOn(open, request(method, PATH, query.formatted(ITEMS)))).isTrue();
    }

    @Test
    void upperCaseBuildIdAndAnotherSpellingAreTheSameQuery() throws Exception {
        send(open, "GET", QUESTION);
        String upperCase = "/v1/offsets/" + SmallBuild.ID.toString().toUpperCase(Locale.ROOT);
        assertThat(goesOn(open, request("GET", upperCase, "view=fields&types=" + ITEMS.replace(",", "%2C"))))
                .isFalse();
    }

    @Test
    void changeDropsEveryCodingOfAnAnswer() {
        AnswerCache answers = open.bean(AnswerCache.class);
        OffsetsQuery query = OffsetsQuery.of("types=" + ITEMS, List.of());
        send(open, "GET", QUESTION);
        send(open, "GET", QUESTION, "Accept-Encoding", "gzip");
        for (ContentCoding coding : ContentCoding.COMMON) {
            assertThat(answers.find(SmallBuild.ID, query, coding)).isPresent();
        }
        answers.changed(Map.of(SmallBuild.ID, Long.MAX_VALUE));
        for (ContentCoding coding : ContentCoding.COMMON) {
            assertThat(answers.find(SmallBuild.ID, query, coding)).isEmpty();
        }
        open.forgetAnswers();
    }

    @Test
    void memoryForAnswersHasABound() throws InterruptedException {
        send(open, "GET", QUESTION);
        Build build = open.bean(Builds.class).find(SmallBuild.ID).orElseThrow();
        AnswerCache answers = new AnswerCache(
                open.bean(Freshness.class),
                new AnswerProperties(DataSize.ofKilobytes(100)),
                new SimpleMeterRegistry(),
                open.beans(ComputePool.class).iterator().next());
        List<OffsetsQuery> queries = IntStream.range(0, 300)
                .mapToObj(i -> OffsetsQuery.of("types=point,none_" + i, List.of()))
                .toList();
        AnswerCache.KnownBuild known =
                new AnswerCache.KnownBuild(build, Objects.requireNonNull(build.file()), BuildPins.NONE);
        Answer answer = new Answer(Representation.JSON, SpooledBody.of(out -> out.write(new byte[500])), true);
        for (OffsetsQuery query : queries) {
            answers.putEncoded(answers.entry(SmallBuild.ID), known, query, ContentCoding.IDENTITY, answer);
        }
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        // The cache holds 100 kB, and each answer takes more than 1 kB.
        while (known(answers, queries) > 100) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(20);
        }
        assertThat(known(answers, queries)).isPositive();
    }

    private static long known(AnswerCache answers, List<OffsetsQuery> queries) {
        return queries.stream()
                .filter(query -> answers.find(SmallBuild.ID, query, ContentCoding.IDENTITY)
                        .isPresent())
                .count();
    }
}
