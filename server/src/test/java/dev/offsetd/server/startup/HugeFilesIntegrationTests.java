package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HugeFile;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a small heap, and files and answers that would fill it many times over. */
@Timeout(400)
class HugeFilesIntegrationTests {

    private static final int COUNT = 300_000;
    private static final int COUNT_THAT_FITS = 60_000;
    private static final int CALLERS = 40;
    private static final String ENUM = "e".repeat(40);

    @TempDir
    private Path folder;

    private final Map<String, byte[]> files = new HashMap<>();
    private final HttpClient http = HttpClient.newHttpClient();
    private HttpServer upstream;

    @BeforeEach
    void serveFiles() throws IOException {
        upstream = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        upstream.setExecutor(Executors.newCachedThreadPool());
        upstream.createContext("/buildid/", exchange -> {
            byte[] file = files.get(exchange.getRequestURI().getPath().split("/", -1)[2]);
            if (file == null || !exchange.getRequestURI().getPath().endsWith("/debuginfo")) {
                exchange.sendResponseHeaders(404, -1);
            } else {
                exchange.sendResponseHeaders(200, file.length);
                exchange.getResponseBody().write(file);
            }
            exchange.close();
        });
        upstream.start();
        files.put(SmallBuild.ID.toString(), SmallBuild.debugFile());
    }

    @AfterEach
    void stop() {
        upstream.stop(0);
        http.close();
    }

    private ServerProcess start() throws Exception {
        Map<String, String> environment = new HashMap<>(ServerProcess.on(TestDatabase.create()));
        environment.put(
                "DEBUGINFOD_URLS", "http://127.0.0.1:" + upstream.getAddress().getPort() + "/");
        environment.put("JAVA_TOOL_OPTIONS", "-Xmx256m");
        return ServerProcess.start(folder.resolve("data"), folder.resolve("log"), environment);
    }

    private static HttpRequest request(ServerProcess server, String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Prefer", "wait=30")
                .timeout(Duration.ofSeconds(60))
                .build();
    }

    /** Asks until the build is settled. */
    private HttpResponse<String> settled(ServerProcess server, String path) {
        try {
            HttpResponse<String> answer = http.send(request(server, path), BodyHandlers.ofString());
            for (int i = 0; i < 12 && answer.statusCode() == 202; i++) {
                answer = http.send(request(server, path), BodyHandlers.ofString());
            }
            return answer;
        } catch (IOException e) {
            throw new AssertionError(path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(path, e);
        }
    }

    private String add(HugeFile kind, int count, int number) {
        byte[] id = new byte[20];
        id[0] = (byte) 0xaa;
        id[19] = (byte) number;
        String name = HexFormat.of().formatHex(id);
        files.put(name, kind.write(count).buildId(id).toBytes());
        return name;
    }

    @Test
    @ChecklistRow(2)
    void hugeFilesAreRefusedWhileOthersAreAnswered() throws Exception {
        List<String> builds = new ArrayList<>();
        List<HugeFile> kinds = List.of(HugeFile.values());
        for (HugeFile kind : kinds) {
            builds.add(add(kind, kind == HugeFile.ENDS_OF_A_NAME ? 10_000 : COUNT, builds.size()));
        }
        try (ServerProcess server = start()) {
            List<CompletableFuture<HttpResponse<String>>> asked = builds.stream()
                    .map(id -> CompletableFuture.supplyAsync(
                            () -> settled(server, "/v1/offsets/" + id + "?types=s,e"),
                            task -> Thread.ofVirtual().start(task)))
                    .toList();
            CompletableFuture<Void> all = CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new));
            int looks = 0;
            while (!all.isDone()) {
                assertThat(http.send(request(server, "/livez"), BodyHandlers.discarding())
                                .statusCode())
                        .isEqualTo(200);
                HttpResponse<String> small =
                        settled(server, "/v1/offsets/" + SmallBuild.ID + "?types=point,no_such_" + looks);
                assertThat(small.statusCode()).as(small.body()).isEqualTo(200);
                looks++;
                Thread.sleep(200);
            }
            assertThat(looks).isPositive();
            int refused = 0;
            for (int i = 0; i < builds.size(); i++) {
                HttpResponse<String> answer = asked.get(i).join();
                String kind = kinds.get(i) + ": " + answer.body();
                if (answer.statusCode() == 422) {
                    assertThat(Json.of(answer).path("code").asString()).as(kind).isEqualTo("limit_exceeded");
                    refused++;
                } else {
                    assertThat(answer.statusCode()).as(kind).isEqualTo(200);
                }
            }
            assertThat(refused).isGreaterThanOrEqualTo(3);
            assertThat(server.process().isAlive()).isTrue();
            assertThat(server.output()).doesNotContain("OutOfMemoryError");
        }
    }

    /** Each asks in another way, so that no two share an answer. */
    @Test
    @ChecklistRow(2)
    void manyLargeAnswersAtOnceDoNotFillTheHeap() throws Exception {
        String build = add(HugeFile.ENUMERATORS, COUNT_THAT_FITS, 200);
        try (ServerProcess server = start()) {
            String path = "/v1/offsets/" + build + "?types=e";
            HttpResponse<String> one = settled(server, path);
            assertThat(one.statusCode()).isEqualTo(200);
            assertThat(one.body().length()).isGreaterThan(1 << 20);
            String last = "E" + (COUNT_THAT_FITS - 1);
            assertThat(one.body()).contains('"' + last + '"');
            List<CompletableFuture<HttpResponse<String>>> asked = IntStream.range(0, CALLERS)
                    .mapToObj(i ->
                            http.sendAsync(request(server, path + ",no_such_" + ENUM + i), BodyHandlers.ofString()))
                    .toList();
            for (CompletableFuture<HttpResponse<String>> each : asked) {
                HttpResponse<String> answer = each.join();
                assertThat(answer.statusCode()).isEqualTo(200);
                assertThat(answer.body()).contains('"' + last + '"');
            }
            HttpResponse<String> again = settled(server, path);
            assertThat(again.body()).isEqualTo(one.body());
            String etag = one.headers().firstValue("ETag").orElseThrow();
            assertThat(again.headers().firstValue("ETag")).hasValue(etag);
            HttpResponse<String> unchanged = http.send(
                    HttpRequest.newBuilder(URI.create(server.url() + path))
                            .header("If-None-Match", etag)
                            .build(),
                    BodyHandlers.ofString());
            assertThat(unchanged.statusCode()).isEqualTo(304);
            assertThat(server.output()).doesNotContain("OutOfMemoryError");
        }
    }
}
