package dev.offsetd.server.debuginfod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.Fault;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.sources.ForwardedFor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TcpForwarder;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Debuginfod's web API in front of the sources. */
class DebuginfodIntegrationTests {

    private static final AtomicInteger BUILDS = new AtomicInteger();

    /** Name of the upstream of the common server. It has the builds of the tests unless they script something else. */
    private static final String UP = "up";

    @TempDir
    private static Path common;

    private static FaultServer upstream;
    private static TestDatabase database;
    private static TestServer server;

    @TempDir
    private Path folder;

    private final BuildId id = newId();
    private final byte[] file = SmallBuild.debugFile(id);
    private final String debuginfo = "/buildid/" + id + "/debuginfo";

    @BeforeAll
    static void start() {
        upstream = FaultServer.serving(SmallBuild.debugFile(), SmallBuild.debugFile(SmallBuild.UNKNOWN_ID));
        database = TestDatabase.create();
        server = start(
                common.resolve("data"),
                database,
                upstream.url(UP),
                "offsetd.changes.poll=50ms",
                "offsetd.uploads.keep=true",
                "offsetd.local-folders=" + common.resolve("debug"));
    }

    @AfterAll
    static void stop() {
        server.close();
        upstream.close();
    }

    @BeforeEach
    void addBuild() {
        upstream.has(id, file);
        upstream.script(UP, id, "ok");
    }

    /** Starts a server with an empty database. */
    private TestServer server(String urls, String... properties) {
        return start(folder.resolve("data"), TestDatabase.create(), urls, properties);
    }

    private static TestServer start(Path data, TestDatabase database, String urls, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "offsetd.upstreams.urls=" + urls,
                "offsetd.upstreams.breaker.failures=1000",
                "offsetd.extraction.retry.failed=1ms",
                "offsetd.upstreams.max-retry-after=1ms"));
        all.addAll(List.of(properties));
        return TestServer.start(data, database, all.toArray(String[]::new));
    }

    private static BuildId newId() {
        return BuildId.parse(String.format(Locale.ROOT, "%040x", 0xabcdef000000L + BUILDS.incrementAndGet()));
    }

    private static String code(HttpResponse<byte[]> problem) {
        return JsonMapper.shared().readTree(problem.body()).path("code").asString();
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Test
    void fileOfAnUpstreamIsSentWithTheHeadersOfDebuginfod() {
        HttpResponse<byte[]> response = server.file("GET", debuginfo);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo(file);
        assertThat(header(response, "X-DEBUGINFOD-SIZE")).isEqualTo(Integer.toString(file.length));
        assertThat(header(response, "Content-Type")).isEqualTo("application/octet-stream");
        assertThat(header(response, "Cache-Control")).isEqualTo("public, max-age=3600");

        HttpResponse<byte[]> head = server.file("HEAD", debuginfo);
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(header(head, "Content-Length")).isEqualTo(Integer.toString(file.length));
        assertThat(server.file("GET", debuginfo, "If-None-Match", header(response, "ETag"))
                        .statusCode())
                .isEqualTo(304);
        assertThat(upstream.hits(UP, id)).isEqualTo(1);
    }

    /** Paths that clients send whose base URL ends with a slash, or that encode more than they must. */
    @Test
    void equivalentSpellingsOfAPathAreServed() {
        for (String path : List.of("/" + debuginfo, "//" + debuginfo)) {
            assertThat(server.file("GET", path).body()).as(path).isEqualTo(file);
        }
        byte[] section =
                server.file("GET", "/buildid/" + id + "/section/.debug_info").body();
        for (String path : List.of("/section/%2Edebug_info", "/section/%2edebug%5Finfo")) {
            HttpResponse<byte[]> response = server.file("GET", "/buildid/" + id + path);
            assertThat(response.statusCode()).as(path).isEqualTo(200);
            assertThat(response.body()).isEqualTo(section).isNotEmpty();
        }
        assertThat(server.file("GET", "/buildid/%2E%2E/v1/builds").statusCode()).isEqualTo(400);
    }

    @Test
    void rangesAreSent() {
        String etag = header(server.file("GET", debuginfo), "ETag");
        assertRange("bytes=4-9", 4, 10);
        assertRange("bytes=" + (file.length - 3) + "-", file.length - 3, file.length);
        assertRange("bytes=-5", file.length - 5, file.length);
        assertRange("bytes=0-999999999", 0, file.length);
        for (String ignored : List.of("bytes=9-4", "bytes=0-1,3-4", "items=0-1", "bytes=a-b", "bytes=-")) {
            assertThat(server.file("GET", debuginfo, "Range", ignored).body())
                    .as(ignored)
                    .isEqualTo(file);
        }
        for (String outside : List.of("bytes=" + file.length + "-", "bytes=-0")) {
            HttpResponse<byte[]> response = server.file("GET", debuginfo, "Range", outside);
            assertThat(response.statusCode()).as(outside).isEqualTo(416);
            assertThat(header(response, "Content-Range")).isEqualTo("bytes */" + file.length);
        }
        assertThat(server.file("GET", debuginfo, "Range", "bytes=0-3", "If-Range", etag)
                        .body())
                .hasSize(4);
        assertThat(server.file("GET", debuginfo, "Range", "bytes=0-3", "If-Range", "\"other\"")
                        .body())
                .isEqualTo(file);
    }

    private void assertRange(String range, int from, int to) {
        HttpResponse<byte[]> response = server.file("GET", debuginfo, "Range", range);
        assertThat(response.statusCode()).as(range).isEqualTo(206);
        assertThat(response.body()).isEqualTo(Arrays.copyOfRange(file, from, to));
        assertThat(header(response, "Content-Range")).isEqualTo("bytes " + from + "-" + (to - 1) + "/" + file.length);
    }

    @Test
    void sizeLimitOfTheClientIs406AndIsPassedOn() {
        for (int i = 0; i < 2; i++) {
            HttpResponse<byte[]> response = server.file("GET", debuginfo, "X-DEBUGINFOD-MAXSIZE", "100");
            assertThat(response.statusCode()).isEqualTo(406);
            assertThat(code(response)).isEqualTo("larger_than_requested");
        }
        assertThat(server.file("GET", debuginfo, "X-DEBUGINFOD-MAXSIZE", "0").statusCode())
                .isEqualTo(200);
        assertThat(server.file("GET", debuginfo, "X-DEBUGINFOD-MAXSIZE", "100").statusCode())
                .isEqualTo(406);
        assertThat(server.file("GET", debuginfo, "X-DEBUGINFOD-MAXSIZE", "many").statusCode())
                .isEqualTo(400);
    }

    @Test
    void malformedRequestsAre400() {
        assertThat(server.file("GET", "/buildid/xyz/debuginfo").statusCode()).isEqualTo(400);
        assertThat(server.file("GET", "/buildid/" + id + "/section/" + "x".repeat(300))
                        .statusCode())
                .isEqualTo(400);
        assertThat(server.file("GET", "/buildid/" + id + "/other").statusCode()).isEqualTo(404);
    }

    @Test
    void switchedOffItServesNothing() {
        try (TestServer off = server(upstream.url(UP), "offsetd.debuginfod.enabled=false")) {
            assertThat(off.file("GET", debuginfo).statusCode()).isEqualTo(404);
            assertThat(upstream.hits(UP, id)).isZero();
        }
    }

    @ChecklistRow(11)
    @Test
    void fiftyClientsCauseOneDownload() throws Exception {
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<HttpResponse<byte[]>>> responses = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                responses.add(clients.submit(() -> server.file("GET", debuginfo)));
            }
            // The extraction shares the download, too.
            assertThat(server.offsets(id, "point.y").statusCode()).isEqualTo(200);
            for (Future<HttpResponse<byte[]>> response : responses) {
                assertThat(response.get().body()).isEqualTo(file);
            }
        }
        assertThat(upstream.hits(UP, id)).isEqualTo(1);
    }

    @ChecklistRow({6, 7, 8, 10})
    @Test
    void failureOfAnUpstreamIsNeverAMissAndTheNextOneIsAsked() {
        List<String> faults = new ArrayList<>(List.of("400 401 403 429 451 500 502 503 504 206".split(" ")));
        Stream.of(Fault.values())
                .filter(fault -> Set.of(Fault.Taken.BROKEN, Fault.Taken.REFUSED).contains(fault.taken()))
                .map(Fault::mode)
                .forEach(faults::add);
        assertNeverAMiss(faults, Duration.ofSeconds(20), 502);
    }

    @ChecklistRow({6, 9})
    @Test
    void silenceOfAnUpstreamIsNeverAMiss() {
        assertNeverAMiss(
                Stream.of(Fault.values())
                        .filter(fault -> fault.taken() == Fault.Taken.TIMED_OUT)
                        .map(Fault::mode)
                        .toList(),
                Duration.ofMillis(900),
                504);
    }

    private void assertNeverAMiss(List<String> faults, Duration timeout, int status) {
        // The second upstream has time on a busy machine.
        String first = "offsetd.upstreams.servers[0].";
        try (TestServer server = server(
                upstream.url("second"),
                "offsetd.upstreams.headers-timeout=20s",
                first + "url=" + upstream.url("first"),
                first + "headers-timeout=" + timeout,
                first + "stall-timeout=" + timeout,
                first + "total-timeout=" + timeout.multipliedBy(2))) {
            for (String fault : faults) {
                BuildId failing = newId();
                upstream.has(failing, SmallBuild.debugFile(failing));
                upstream.script("first", failing, fault);
                upstream.script("second", failing, "404");
                HttpResponse<byte[]> response = server.file("GET", "/buildid/" + failing + "/debuginfo");
                assertThat(response.statusCode()).as(fault).isEqualTo(status);
                assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
                assertThat(header(response, "Retry-After")).isNotEmpty();

                BuildId served = newId();
                byte[] servedFile = SmallBuild.debugFile(served);
                upstream.has(served, servedFile);
                upstream.script("first", served, fault);
                upstream.script("second", served, "ok");
                assertThat(server.file("GET", "/buildid/" + served + "/debuginfo")
                                .body())
                        .as(fault)
                        .isEqualTo(servedFile);
            }
        }
    }

    @Test
    void missIsNotAskedForAgainUntilTheBuildChanges() throws Exception {
        upstream.script(UP, id, "404");
        for (int i = 0; i < 3; i++) {
            HttpResponse<byte[]> response = server.file("GET", debuginfo);
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(code(response)).isEqualTo("file_not_found");
        }
        assertThat(upstream.hits(UP, id)).isEqualTo(1);
        assertThat(server.offsets(id, "point").statusCode()).isEqualTo(404);
        upstream.script(UP, id, "ok");
        Publisher.of(server, "ci").retry(server, id);
        assertThat(server.offsets(id, "point").statusCode()).isEqualTo(200);
        int status = 404;
        for (int i = 0; i < 1200 && status != 200; i++) {
            Thread.sleep(50);
            status = server.file("GET", debuginfo).statusCode();
        }
        assertThat(status).isEqualTo(200);
    }

    @Test
    void clientGets503WhenTheFileTakesLong() {
        try (TestServer server = server(upstream.url("drip"), "offsetd.debuginfod.wait-timeout=300ms")) {
            HttpResponse<byte[]> response = server.file("GET", debuginfo);
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(code(response)).isEqualTo("file_in_progress");
            assertThat(header(response, "Retry-After")).isEqualTo("5");
        }
    }

    @Test
    void sourceFileThatArrivesAfterAnInterruptIsDeleted() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        HttpServer late = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        late.createContext("/", exchange -> {
            asked.countDown();
            try {
                interrupted.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            exchange.sendResponseHeaders(200, 1);
            exchange.getResponseBody().write('x');
            exchange.close();
        });
        late.start();
        try (TestServer server = server("http://127.0.0.1:" + late.getAddress().getPort() + "/")) {
            BuildFiles.ClientRequest request =
                    new BuildFiles.ClientRequest(id, -1, ForwardedFor.NONE, Caller.operator());
            FutureTask<CachedFile> waiting =
                    new FutureTask<>(() -> server.bean(BuildFiles.class).source(request, "/a.c"));
            Thread thread = Thread.startVirtualThread(waiting);
            asked.await();
            thread.interrupt();
            assertThatThrownBy(waiting::get).hasCauseInstanceOf(InterruptedException.class);
            interrupted.countDown();
            Counter received = server.bean(MeterRegistry.class)
                    .get("offsetd.upstream.bytes")
                    .counter();
            Path incoming = folder.resolve("data/cache/tmp");
            for (int i = 0; i < 1200 && (received.count() == 0 || !isEmpty(incoming)); i++) {
                Thread.sleep(50);
            }
            assertThat(received.count()).isEqualTo(1);
            assertThat(incoming).isEmptyDirectory();
        } finally {
            late.stop(0);
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }

    /** Two servers that query each other, and nothing else. */
    @ChecklistRow(27)
    @Test
    void loopOfServersEndsInAMiss() throws Exception {
        TestDatabase both = TestDatabase.create();
        try (TcpForwarder forwarder = new TcpForwarder(0);
                TestServer one = start(folder.resolve("one"), both, "http://127.0.0.1:" + forwarder.port() + "/");
                TestServer other = start(folder.resolve("other"), both, one.url())) {
            forwarder.redirectTo(other.port());
            // A request that waited for itself would be answered 504.
            assertThat(one.file("GET", debuginfo).statusCode()).isEqualTo(404);
            assertThat(other.file("GET", "/buildid/" + newId() + "/executable").statusCode())
                    .isEqualTo(404);
        }
    }

    @ChecklistRow(27)
    @Test
    void requestThatPassedEightServersIsAnsweredFromThisServerOnly() {
        String hops = "10.0.0.1, 10.0.0.2, 10.0.0.3, 10.0.0.4, 10.0.0.5, 10.0.0.6, 10.0.0.7, 10.0.0.8";
        assertThat(server.file("GET", debuginfo, "X-Forwarded-For", hops).statusCode())
                .isEqualTo(404);
        assertThat(upstream.hits(UP, id)).isZero();
        server.file("GET", debuginfo);
        assertThat(server.file("GET", debuginfo, "X-Forwarded-For", hops).statusCode())
                .isEqualTo(200);
    }

    @Test
    void keptUploadIsSentByEveryServerAndASlimOneIsNot() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("ruby"), id.toString());
        byte[] whole = Files.readAllBytes(ruby.library());
        ByteArrayOutputStream slim = new ByteArrayOutputStream();
        DebugInfo.read(ruby.library(), new ReadOptions(Limits.DEFAULT, 1), info -> info.writeSlim(slim));
        String path = "/buildid/" + id;
        upstream.script(UP, id, "404");
        try (TestServer other =
                start(folder.resolve("other"), database, upstream.url(UP), "offsetd.uploads.keep=true")) {
            Publisher ci = Publisher.of(server, "ci");
            assertThat(ci.put(server, id, slim.toByteArray()).statusCode()).isEqualTo(201);
            assertThat(other.file("GET", path + "/debuginfo").statusCode()).isEqualTo(404);
            HttpResponse<byte[]> section = other.file("GET", path + "/section/.debug_info");
            assertThat(section.statusCode()).isEqualTo(200);

            // The same layouts with more besides: nothing to extract, but more to send.
            assertThat(Json.of(ci.put(server, id, whole)).path("result").asString())
                    .isEqualTo("replaced");
            for (TestServer each : List.of(server, other)) {
                HttpResponse<byte[]> response = each.file("GET", path + "/debuginfo");
                assertThat(response.body()).isEqualTo(whole);
                assertThat(header(response, "Cache-Control")).isEqualTo("public, max-age=60");
                assertThat(each.file("GET", path + "/executable").body()).isEqualTo(whole);
                assertThat(each.file("GET", path + "/section/.debug_info").body())
                        .isEqualTo(section.body());
            }
            assertThat(rows()).isPositive();
        }
    }

    @ChecklistRow(33)
    @Test
    void sectionsOfALargeFileAreFetchedAndAreNotItsDebugFile() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("ruby"), id.toString());
        Path padding = Files.write(folder.resolve("padding"), new byte[1 << 20]);
        RequiredTool.require("objcopy").output("--add-section", ".padding=" + padding, ruby.debugFile());
        byte[] whole = Files.readAllBytes(ruby.debugFile());
        ruby.putInto(common.resolve("debug"));
        String name = ruby.buildId().substring(2);
        try (TestServer client = server(server.url(), "offsetd.upstreams.sections-above=100KB")) {
            HttpResponse<String> answer = client.offsets(id, "rb_control_frame_struct.ep");
            assertThat(Json.item(answer, "rb_control_frame_struct.ep")
                            .path("offset")
                            .asInt())
                    .isEqualTo(16);
            assertThat(Json.of(client.get("/v1/builds/" + id))
                            .path("provenance")
                            .path("fetchedBytes")
                            .asLong())
                    .isBetween(1L, whole.length / 4L);
            assertThat(client.file("GET", "/buildid/" + id + "/section/.debug_info")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(filesIn("data")).containsExactly(name + ".sections");
            assertThat(client.file("GET", debuginfo).body()).isEqualTo(whole);
            assertThat(filesIn("data")).contains(name + ".debug");
        }
        try (TestServer client = start(folder.resolve("other"), TestDatabase.create(), server.url())) {
            assertThat(client.offsets(id, "rb_control_frame_struct.ep").statusCode())
                    .isEqualTo(200);
            assertThat(filesIn("other")).containsExactly(name + ".debug");
        }
    }

    private List<String> filesIn(String data) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(data).resolve("cache"), 2)) {
            return files.map(path -> path.getFileName().toString())
                    .filter(name -> name.matches("[0-9a-f]+\\.[a-z]+"))
                    .toList();
        }
    }

    @Test
    void uploadThatAnUpstreamReplacesIsNotKept() throws Exception {
        upstream.has(id, SmallBuild.otherLayouts(id));
        upstream.script(UP, id, "404");
        Publisher ci = Publisher.of(server, "ci");
        assertThat(ci.put(server, id, file).statusCode()).isEqualTo(201);
        assertThat(server.file("GET", debuginfo).body()).isEqualTo(file);
        assertThat(rows()).isEqualTo(1);
        upstream.script(UP, id, "ok");
        ci.retry(server, id);
        server.offsets(id, "point");
        for (int i = 0; i < 1200 && rows() > 0; i++) {
            Thread.sleep(50);
        }
        assertThat(rows()).isZero();
        assertThat(server.file("GET", debuginfo).body()).isEqualTo(SmallBuild.otherLayouts(id));
    }

    private int rows() {
        return database.jdbc()
                .sql("select count(*) from kept_uploads where build_id = :id")
                .param("id", id.toBytes())
                .query(Integer.class)
                .single();
    }
}
