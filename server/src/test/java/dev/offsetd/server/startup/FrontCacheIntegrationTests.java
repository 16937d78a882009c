package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** nginx with packaging/nginx.conf in front of a server. */
class FrontCacheIntegrationTests {

    /** Validity of an answer with pins or misses, which docs/operations.md promises. */
    private static final Duration SHORT_VALIDITY = Duration.ofSeconds(10);

    /** For the server to notice the change, for the clock of nginx, and for a busy machine. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private static final String ANSWER = "/v1/offsets/" + SmallBuild.ID + "?types=point.y,missing";

    @TempDir
    private static Path folder;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static TestServer server;
    private static Process nginx;
    private static int port;

    @BeforeAll
    static void start() throws Exception {
        Path program = RequiredTool.require("nginx").path();
        server = TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true");
        assertThat(Publisher.of(server, "ci")
                        .put(server, SmallBuild.debugFile())
                        .statusCode())
                .isEqualTo(201);
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Path files = Files.createDirectories(folder.resolve("nginx"));
        String configuration = Files.readString(Path.of("..", "packaging", "nginx.conf"))
                .replace("listen 8081", "listen 127.0.0.1:" + port)
                .replace("server 10.0.0.11:8080;", "server 127.0.0.1:" + server.port() + ";")
                .replace("server 10.0.0.12:8080;", "")
                .replace("/run/nginx.pid", files + "/pid")
                .replace("/var/cache/nginx/offsetd", files + "/cache")
                .replace("http {", """
                        http {
                            client_body_temp_path %1$s/body;
                            proxy_temp_path %1$s/proxy;
                            fastcgi_temp_path %1$s/fastcgi;
                            uwsgi_temp_path %1$s/uwsgi;
                            scgi_temp_path %1$s/scgi;""".formatted(files));
        // nginx drops the rights of root, and must be able to write its cache.
        if (ProcessHandle.current().info().user().filter("root"::equals).isPresent()) {
            configuration = "user root;\n" + configuration;
        }
        Path file = Files.writeString(folder.resolve("nginx.conf"), configuration);
        nginx = new ProcessBuilder(program.toString(), "-e", "stderr", "-c", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("nginx.log").toFile())
                .start();
        awaitReady();
    }

    @AfterAll
    static void stop() throws Exception {
        if (nginx != null) {
            nginx.destroy();
            nginx.waitFor();
        }
        server.close();
    }

    private static void awaitReady() throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            try {
                if (get("/livez").statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                // Not yet.
            }
            String log = Files.readString(folder.resolve("nginx.log"));
            assertThat(nginx.isAlive()).as(log).isTrue();
            assertThat(System.nanoTime()).as(log).isLessThan(end);
            Thread.sleep(50);
        }
    }

    private static HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
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
