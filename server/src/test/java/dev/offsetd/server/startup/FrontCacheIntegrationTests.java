package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** nginx with packaging/nginx.conf in front of a server. */
class FrontCacheIntegrationTests {

    /** Validity of an answer with pins or misses, which docs/operations.md promises. */
    private static final Duration SHORT_VALIDITY = Duration.ofSeconds(10);

    /** For the server to notice the change and for a busy machine. Other answers are valid for a minute. */
    private static final Duration MARGIN = Duration.ofSeconds(25);

    private static final String ANSWER = "/v1/offsets/" + SmallBuild.ID + "?types=point.y,missing";

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Nginx nginx;

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true");
        assertThat(Publisher.of(server, "ci")
                        .put(server, SmallBuild.debugFile())
                        .statusCode())
                .isEqualTo(201);
        nginx = Nginx.start(folder, List.of(server.port()));
    }

    @AfterAll
    static void stop() throws Exception {
        if (nginx != null) {
            nginx.close();
        }
        server.close();
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        return nginx.get(path, headers);
    }

    private static String cache(HttpResponse<?> response) {
        return response.headers().firstValue("X-Cache").orElse("none");
    }

    @Test
    void repeatedQueryIsAnsweredFromTheCacheByteForByte() throws Exception {
        String path = "/v1/offsets/" + SmallBuild.ID + "?types=line";

        HttpResponse<String> first = get(path);
        HttpResponse<String> second = get(path);
        HttpResponse<String> cbor = get(path, "Accept", "application/cbor");
        HttpResponse<String> known =
                get(path, "If-None-Match", first.headers().firstValue("ETag").orElseThrow());

        assertThat(cache(first)).isEqualTo("MISS");
        assertThat(cache(second)).isEqualTo("HIT");
        assertThat(second.body()).isEqualTo(server.get(path).body());
        assertThat(second.headers().firstValue("Cache-Control"))
                .hasValueSatisfying(value -> assertThat(value).contains("max-age=60"));
        assertThat(cache(cbor)).isEqualTo("MISS");
        assertThat(cbor.headers().firstValue("Content-Type")).contains("application/cbor");
        assertThat(known.statusCode()).isEqualTo(304);
    }

    @Test
    void exportIsAnsweredFromTheCache() throws Exception {
        String path = "/v1/exports/" + SmallBuild.ID + "/btf";
        HttpResponse<String> redirect = get(path);
        String revision = URI.create(path)
                .resolve(redirect.headers().firstValue("Location").orElseThrow())
                .getPath();

        assertThat(redirect.statusCode()).isEqualTo(302);
        assertThat(cache(get(revision))).isEqualTo("MISS");
        assertThat(cache(get(revision))).isEqualTo("HIT");
    }

    @Test
    void requestsWithATokenAndWritesAreNotCached() throws Exception {
        String path = "/v1/offsets/" + SmallBuild.ID + "?types=point";
        String[] token = Publisher.of(server, "reader").authorized();

        assertThat(cache(get(path, token))).isEqualTo("BYPASS");
        assertThat(cache(get(path))).isEqualTo("MISS");
        assertThat(cache(get(path, token))).isEqualTo("BYPASS");
        assertThat(cache(get("/v1/whoami"))).isEqualTo("none");
    }

    @Test
    void changedPinArrivesWhenTheAnswerHasExpired() throws Exception {
        String before = get(ANSWER).body();
        assertThat(get(ANSWER).headers().firstValue("Cache-Control")).contains("public, max-age=10");
        Administrator.of(server, "alice").pin(server, SmallBuild.ID, "point.y", "{\"offset\": 4, \"size\": 2}");
        long pinned = System.nanoTime();

        HttpResponse<String> after = get(ANSWER);
        while (after.body().equals(before)) {
            assertThat(Duration.ofNanos(System.nanoTime() - pinned)).isLessThan(SHORT_VALIDITY.plus(MARGIN));
            Thread.sleep(100);
            after = get(ANSWER);
        }

        assertThat(Json.of(after).path("offsets").path("point.y").path("size").asInt())
                .isEqualTo(2);
    }
}
