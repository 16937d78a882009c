package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HugeFile;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with a small heap, and files and answers many times larger than it. */
@Timeout(400)
class HugeFilesIntegrationTests {

    private static final int COUNT = 300_000;
    private static final int COUNT_THAT_FITS = 60_000;
    private static final int CALLERS = 40;
    private static final Duration MAX_WAIT = Duration.ofMinutes(2);
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
        return start(TestDatabase.create(), "256m");
    }

    private ServerProcess start(TestDatabase database, String heap) throws Exception {
        Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
        environment.put(
                "DEBUGINFOD_URLS", "http://127.0.0.1:" + upstream.getAddress().getPort() + "/");
        environment.put("JAVA_TOOL_OPTIONS", "-Xmx" + heap);
        return ServerProcess.start(folder.resolve("data"), folder.resolve("log"), environment);
    }

    private static HttpRequest request(ServerProcess server, String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Prefer", "wait=30")
                .timeout(Duration.ofSeconds(60))
                .build();
    }

    /** Requests the path until the extraction is finished. */
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
        List<String> paths = new ArrayList<>();
        List<HugeFile> kinds = List.copyOf(EnumSet.complementOf(EnumSet.copyOf(HugeFile.OF_CODE)));
        for (HugeFile kind : kinds) {
            String id = add(kind, kind == HugeFile.ENDS_OF_A_NAME ? 10_000 : COUNT, paths.size());
            paths.add("/v1/offsets/" + id + "?types=s,e");
        }
        try (ServerProcess server = start()) {
            List<HttpResponse<String>> answers = answersWhileOthersAreAnswered(server, paths);
            int refused = 0;
            for (int i = 0; i < kinds.size(); i++) {
                HttpResponse<String> answer = answers.get(i);
                String kind = kinds.get(i) + ": " + answer.body();
                if (answer.statusCode() == 422) {
                    // A file of which the headers alone are too large is refused when it comes.
                    assertThat(Json.of(answer).path("code").asString()).as(kind).isIn("limit_exceeded", "too_large");
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

    @Test
    @ChecklistRow(2)
    void hugeLinesAreRefusedWhileOthersAreAnswered() throws Exception {
        List<String> paths = new ArrayList<>();
        List<HugeFile> kinds = List.copyOf(HugeFile.OF_CODE);
        for (HugeFile kind : kinds) {
            String id = add(kind, COUNT, 100 + paths.size());
            paths.add("/v1/symbolize/" + id + "?addresses=0x" + Long.toHexString(HugeFile.CODE));
        }
        try (ServerProcess server = start()) {
            List<HttpResponse<String>> answers = answersWhileOthersAreAnswered(server, paths);
            for (int i = 0; i < kinds.size(); i++) {
                assertThat(answers.get(i).body())
                        .as(kinds.get(i) + ": " + answers.get(i).statusCode())
                        .containsAnyOf("\"failed\"", "limit_exceeded");
            }
            assertThat(server.process().isAlive()).isTrue();
            assertThat(server.output()).doesNotContain("OutOfMemoryError");
        }
    }

    /** Asks for all of the paths at once, and for a small build until each has an answer. */
    private List<HttpResponse<String>> answersWhileOthersAreAnswered(ServerProcess server, List<String> paths)
            throws Exception {
        List<CompletableFuture<HttpResponse<String>>> calls = paths.stream()
                .map(path -> CompletableFuture.supplyAsync(
                        () -> settled(server, path), task -> Thread.ofVirtual().start(task)))
                .toList();
        CompletableFuture<Void> all = CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new));
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
        return calls.stream().map(CompletableFuture::join).toList();
    }

    /** Each request has a different query, so that no two share a cached answer. */
    @Test
    @ChecklistRow(2)
    void manyLargeAnswersAtOnceDoNotFillTheHeap() throws Exception {
        String build = add(HugeFile.ENUMERATORS, COUNT_THAT_FITS, 200);
        try (ServerProcess server = start()) {
            String path = "/v1/offsets/" + build + "?types=e";
            HttpResponse<String> one = settled(server, path);
            assertThat(one.statusCode()).as(server.output()).isEqualTo(200);
            assertThat(one.body().length()).isGreaterThan(1 << 20);
            String last = "E" + (COUNT_THAT_FITS - 1);
            assertThat(one.body()).contains('"' + last + '"');
            List<CompletableFuture<HttpResponse<String>>> calls = IntStream.range(0, CALLERS)
                    .mapToObj(i ->
                            http.sendAsync(request(server, path + ",no_such_" + ENUM + i), BodyHandlers.ofString()))
                    .toList();
            for (CompletableFuture<HttpResponse<String>> each : calls) {
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

    /**
     * All other queries that list types or symbols, each from many clients at once, of which one does not read its
     * response.
     */
    @Test
    @ChecklistRow(2)
    void largeAnswersOfEveryKindAtOnceDoNotFillTheHeap() throws Exception {
        // Half of the other tests' answers, in half of the heap that the server leaves them: as full, at half of the
        // cost.
        String enumerators = add(HugeFile.ENUMERATORS, COUNT_THAT_FITS / 2, 201);
        String few = add(HugeFile.ENUMERATORS, 1, 202);
        String members = add(HugeFile.MEMBERS, COUNT_THAT_FITS / 2, 203);
        String symbols = add(HugeFile.SYMBOLS, COUNT_THAT_FITS / 2, 204);
        String names = add(HugeFile.NAMESPACES_OF_LONG_NAMES, 2_500, 205);
        TestDatabase database = TestDatabase.create();
        try (ServerProcess server = start(database, "160m")) {
            for (String build : List.of(enumerators, few, members, symbols, names)) {
                assertThat(settled(server, "/v1/offsets/" + build + "?types=none")
                                .statusCode())
                        .as(server.output())
                        .isEqualTo(200);
            }
            AdminClient admin = AdminClient.signIn(server, database);
            for (String path : List.of(
                    "/v1/diff?types=e&from=" + enumerators + "&to=" + few,
                    "/v1/diff?types=s&from=" + members + "&to=" + enumerators,
                    "/v1/resolve/" + members + "?expr=s%2B0",
                    "/v1/symbols/" + symbols + "?names=*",
                    "/v1/builds/" + names + "/types?limit=200",
                    "/v1/offsets/" + members + "?types=s&view=members")) {
                assertManyCanAsk(server, path);
            }
            for (String page : List.of(
                    "/admin/diff?types=e&from=" + enumerators + "&to=" + few,
                    "/admin/diff?types=s&from=" + members + "&to=" + members,
                    "/admin/builds/" + names,
                    "/admin/builds/" + enumerators + "/types?name=e",
                    "/admin/builds/" + members + "/types?name=s")) {
                assertAllAnswered(server, page, () -> admin.get(page));
            }
            assertThat(server.process().isAlive()).isTrue();
            assertThat(server.output()).doesNotContain("OutOfMemoryError");
        }
    }

    private void assertManyCanAsk(ServerProcess server, String path) throws Exception {
        URI url = URI.create(server.url());
        try (Socket slow = new Socket(url.getHost(), url.getPort())) {
            slow.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: offsetd\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            assertAllAnswered(server, path, () -> http.send(request(server, path), BodyHandlers.ofString()));
        }
    }

    /** Retries for a limited time, because an overloaded server may answer 503 with Retry-After. */
    private static void assertAllAnswered(ServerProcess server, String path, Callable<HttpResponse<String>> query)
            throws Exception {
        List<Callable<HttpResponse<String>>> patient = Collections.nCopies(CALLERS, () -> {
            long start = System.nanoTime();
            HttpResponse<String> answer = query.call();
            while (answer.statusCode() == 503 && System.nanoTime() - start < MAX_WAIT.toNanos()) {
                long pause = answer.headers().firstValueAsLong("Retry-After").orElseThrow();
                Thread.sleep(Duration.ofSeconds(pause));
                answer = query.call();
            }
            return answer;
        });
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Future<HttpResponse<String>> each : callers.invokeAll(patient)) {
                HttpResponse<String> answer = answerOf(each, path, server);
                assertThat(answer.statusCode())
                        .as(path + ": " + answer.body() + server.output())
                        .isEqualTo(200);
            }
        }
    }

    private static HttpResponse<String> answerOf(Future<HttpResponse<String>> answer, String path, ServerProcess server)
            throws Exception {
        try {
            return answer.get();
        } catch (ExecutionException e) {
            throw new AssertionError(path + ": " + server.output(), e);
        }
    }

    /** Compares an answer of about 20 MB in every content coding and method. */
    @Test
    @ChecklistRow(2)
    void veryLargeAnswerIsTheSameInEveryCodingAndMethod() throws Exception {
        String build = add(HugeFile.ENUMERATORS, COUNT, 210);
        try (ServerProcess server = start(TestDatabase.create(), "1g")) {
            String path = "/v1/offsets/" + build + "?types=e";
            HttpResponse<String> plain = settled(server, path);
            assertThat(plain.statusCode()).as(server.output()).isEqualTo(200);
            assertThat(plain.body().length()).isGreaterThan(5 << 20);
            HttpResponse<byte[]> packed =
                    http.send(withHeaders(server, path, "Accept-Encoding", "gzip"), BodyHandlers.ofByteArray());
            assertThat(packed.headers().firstValue("Content-Encoding")).hasValue("gzip");
            assertThat(new GZIPInputStream(new ByteArrayInputStream(packed.body())).readAllBytes())
                    .isEqualTo(plain.body().getBytes(StandardCharsets.UTF_8));
            for (HttpResponse<?> answer : List.of(plain, packed)) {
                String etag = answer.headers().firstValue("ETag").orElseThrow();
                String coding = answer.headers().firstValue("Content-Encoding").orElse("identity");
                HttpResponse<byte[]> head = http.send(
                        HttpRequest.newBuilder(URI.create(server.url() + path))
                                .method("HEAD", BodyPublishers.noBody())
                                .header("Accept-Encoding", coding)
                                .build(),
                        BodyHandlers.ofByteArray());
                assertThat(head.statusCode()).isEqualTo(200);
                assertThat(head.headers().firstValue("ETag")).hasValue(etag);
                assertThat(head.headers().firstValue("Content-Length"))
                        .isEqualTo(answer.headers().firstValue("Content-Length"));
                assertThat(head.body()).isEmpty();
                HttpResponse<byte[]> unchanged = http.send(
                        withHeaders(server, path, "Accept-Encoding", coding, "If-None-Match", etag),
                        BodyHandlers.ofByteArray());
                assertThat(unchanged.statusCode()).isEqualTo(304);
                assertThat(unchanged.body()).isEmpty();
                HttpResponse<byte[]> other = http.send(
                        withHeaders(server, path, "Accept-Encoding", coding, "If-None-Match", "\"other\""),
                        BodyHandlers.ofByteArray());
                assertThat(other.statusCode()).isEqualTo(200);
            }
        }
    }

    private static HttpRequest withHeaders(ServerProcess server, String path, String... headers) {
        return HttpRequest.newBuilder(URI.create(server.url() + path))
                .headers(headers)
                .timeout(Duration.ofSeconds(60))
                .build();
    }
}
