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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Debuginfod's web API in front of the sources. */
class DebuginfodIntegrationTests {

    private static final BuildId ID = SmallBuild.ID;
    private static final byte[] FILE = SmallBuild.debugFile();
    private static final String DEBUGINFO = "/buildid/" + ID + "/debuginfo";

    @TempDir
    private Path folder;

    private FaultServer upstream;
    private TestDatabase database;

    @BeforeEach
    void start() {
        upstream = FaultServer.serving(FILE, SmallBuild.debugFile(SmallBuild.UNKNOWN_ID));
        database = TestDatabase.create();
    }

    @AfterEach
    void stop() {
        upstream.close();
    }

    private TestServer server(String name, String urls, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "offsetd.upstreams.urls=" + urls,
                "offsetd.upstreams.breaker.failures=1000",
                "offsetd.extraction.retry.failed=1ms",
                "offsetd.upstreams.max-retry-after=1ms"));
        all.addAll(List.of(properties));
        return TestServer.start(folder.resolve(name), database, all.toArray(String[]::new));
    }

    private static BuildId id(int number) {
        return BuildId.parse(String.format(Locale.ROOT, "%040x", 0xabcdef000000L + number));
    }

    private static String code(HttpResponse<byte[]> problem) {
        return JsonMapper.shared().readTree(problem.body()).path("code").asString();
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    @Test
    void fileOfAnUpstreamIsSentWithTheHeadersOfDebuginfod() {
        try (TestServer server = server("data", upstream.url("ok"))) {
            HttpResponse<byte[]> response = server.file("GET", DEBUGINFO);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo(FILE);
            assertThat(header(response, "X-DEBUGINFOD-SIZE")).isEqualTo(Integer.toString(FILE.length));
            assertThat(header(response, "Content-Type")).isEqualTo("application/octet-stream");
            assertThat(header(response, "Cache-Control")).isEqualTo("public, max-age=3600");

            HttpResponse<byte[]> head = server.file("HEAD", DEBUGINFO);
            assertThat(head.statusCode()).isEqualTo(200);
            assertThat(header(head, "Content-Length")).isEqualTo(Integer.toString(FILE.length));
            assertThat(server.file("GET", DEBUGINFO, "If-None-Match", header(response, "ETag"))
                            .statusCode())
                    .isEqualTo(304);
            assertThat(upstream.hits("ok")).isEqualTo(1);
        }
    }

    /** Paths that clients send whose base URL ends with a slash, or that encode more than they must. */
    @Test
    void equivalentSpellingsOfAPathAreServed() {
        try (TestServer server = server("data", upstream.url("ok"))) {
            for (String path : List.of("/" + DEBUGINFO, "//" + DEBUGINFO)) {
                assertThat(server.file("GET", path).body()).as(path).isEqualTo(FILE);
            }
            byte[] section = server.file("GET", "/buildid/" + ID + "/section/.debug_info")
                    .body();
            for (String path : List.of("/section/%2Edebug_info", "/section/%2edebug%5Finfo")) {
                HttpResponse<byte[]> response = server.file("GET", "/buildid/" + ID + path);
                assertThat(response.statusCode()).as(path).isEqualTo(200);
                assertThat(response.body()).isEqualTo(section).isNotEmpty();
            }
            assertThat(server.file("GET", "/buildid/%2E%2E/v1/builds").statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void rangesAreSent() {
        try (TestServer server = server("data", upstream.url("ok"))) {
            String etag = header(server.file("GET", DEBUGINFO), "ETag");
            assertRange(server, "bytes=4-9", 4, 10);
            assertRange(server, "bytes=" + (FILE.length - 3) + "-", FILE.length - 3, FILE.length);
            assertRange(server, "bytes=-5", FILE.length - 5, FILE.length);
            assertRange(server, "bytes=0-999999999", 0, FILE.length);
            for (String ignored : List.of("bytes=9-4", "bytes=0-1,3-4", "items=0-1", "bytes=a-b", "bytes=-")) {
                assertThat(server.file("GET", DEBUGINFO, "Range", ignored).body())
                        .as(ignored)
                        .isEqualTo(FILE);
            }
            for (String outside : List.of("bytes=" + FILE.length + "-", "bytes=-0")) {
                HttpResponse<byte[]> response = server.file("GET", DEBUGINFO, "Range", outside);
                assertThat(response.statusCode()).as(outside).isEqualTo(416);
                assertThat(header(response, "Content-Range")).isEqualTo("bytes */" + FILE.length);
            }
            assertThat(server.file("GET", DEBUGINFO, "Range", "bytes=0-3", "If-Range", etag)
                            .body())
                    .hasSize(4);
            assertThat(server.file("GET", DEBUGINFO, "Range", "bytes=0-3", "If-Range", "\"other\"")
                            .body())
                    .isEqualTo(FILE);
        }
    }

    private static void assertRange(TestServer server, String range, int from, int to) {
        HttpResponse<byte[]> response = server.file("GET", DEBUGINFO, "Range", range);
        assertThat(response.statusCode()).as(range).isEqualTo(206);
        assertThat(response.body()).isEqualTo(Arrays.copyOfRange(FILE, from, to));
        assertThat(header(response, "Content-Range")).isEqualTo("bytes " + from + "-" + (to - 1) + "/" + FILE.length);
    }

    @Test
    void sizeLimitOfTheClientIs406AndIsPassedOn() {
        try (TestServer server = server("data", upstream.url("ok"))) {
            for (int i = 0; i < 2; i++) {
                HttpResponse<byte[]> response = server.file("GET", DEBUGINFO, "X-DEBUGINFOD-MAXSIZE", "100");
                assertThat(response.statusCode()).isEqualTo(406);
                assertThat(code(response)).isEqualTo("larger_than_requested");
            }
            assertThat(server.file("GET", DEBUGINFO, "X-DEBUGINFOD-MAXSIZE", "0")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(server.file("GET", DEBUGINFO, "X-DEBUGINFOD-MAXSIZE", "100")
                            .statusCode())
                    .isEqualTo(406);
            assertThat(server.file("GET", DEBUGINFO, "X-DEBUGINFOD-MAXSIZE", "many")
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void malformedRequestsAre400() {
        try (TestServer server = server("data", upstream.url("ok"))) {
            assertThat(server.file("GET", "/buildid/xyz/debuginfo").statusCode())
                    .isEqualTo(400);
            assertThat(server.file("GET", "/buildid/" + ID + "/section/" + "x".repeat(300))
                            .statusCode())
                    .isEqualTo(400);
            assertThat(server.file("GET", "/buildid/" + ID + "/other").statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void switchedOffItServesNothing() {
        try (TestServer server = server("data", upstream.url("ok"), "offsetd.debuginfod.enabled=false")) {
            assertThat(server.file("GET", DEBUGINFO).statusCode()).isEqualTo(404);
            assertThat(upstream.hits("ok")).isZero();
        }
    }

    @ChecklistRow(11)
    @Test
    void fiftyClientsCauseOneDownload() throws Exception {
        try (TestServer server = server("data", upstream.url("slowly"))) {
            upstream.has(ID, FILE);
            try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<HttpResponse<byte[]>>> responses = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                    responses.add(clients.submit(() -> server.file("GET", "/buildid/" + ID + "/debuginfo")));
                }
                // The extraction shares the download, too.
                upstream.script("slowly", ID, "ok");
                assertThat(server.offsets(ID, "point.y").statusCode()).isEqualTo(200);
                for (Future<HttpResponse<byte[]>> response : responses) {
                    assertThat(response.get().body()).isEqualTo(FILE);
                }
            }
            assertThat(upstream.hits("slowly", ID)).isEqualTo(1);
        }
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
                "data",
                upstream.url("second"),
                "offsetd.upstreams.headers-timeout=20s",
                first + "url=" + upstream.url("first"),
                first + "headers-timeout=" + timeout,
                first + "stall-timeout=" + timeout,
                first + "total-timeout=" + timeout.multipliedBy(2))) {
            for (int i = 0; i < faults.size(); i++) {
                BuildId failing = id(2 * i);
                upstream.has(failing, SmallBuild.debugFile(failing));
                upstream.script("first", failing, faults.get(i));
                upstream.script("second", failing, "404");
                HttpResponse<byte[]> response = server.file("GET", "/buildid/" + failing + "/debuginfo");
                assertThat(response.statusCode()).as(faults.get(i)).isEqualTo(status);
                assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
                assertThat(header(response, "Retry-After")).isNotEmpty();

                BuildId served = id(2 * i + 1);
                byte[] file = SmallBuild.debugFile(served);
                upstream.has(served, file);
                upstream.script("first", served, faults.get(i));
                upstream.script("second", served, "ok");
                assertThat(server.file("GET", "/buildid/" + served + "/debuginfo")
                                .body())
                        .as(faults.get(i))
                        .isEqualTo(file);
            }
        }
    }

    @Test
    void missIsNotAskedForAgainUntilTheBuildChanges() throws Exception {
        try (TestServer server = server("data", upstream.url("later"), "offsetd.changes.poll=50ms")) {
            upstream.has(ID, FILE);
            upstream.script("later", ID, "404");
            for (int i = 0; i < 3; i++) {
                HttpResponse<byte[]> response = server.file("GET", DEBUGINFO);
                assertThat(response.statusCode()).isEqualTo(404);
                assertThat(code(response)).isEqualTo("file_not_found");
            }
            assertThat(upstream.hits("later", ID)).isEqualTo(1);
            assertThat(server.offsets(ID, "point").statusCode()).isEqualTo(404);
            upstream.script("later", ID, "ok");
            Publisher.of(server, "ci").retry(server, ID);
            assertThat(server.offsets(ID, "point").statusCode()).isEqualTo(200);
            int status = 404;
            for (int i = 0; i < 1200 && status != 200; i++) {
                Thread.sleep(50);
                status = server.file("GET", DEBUGINFO).statusCode();
            }
            assertThat(status).isEqualTo(200);
        }
    }

    @Test
    void clientGets503WhenTheFileTakesLong() {
        try (TestServer server = server("data", upstream.url("drip"), "offsetd.debuginfod.wait-timeout=300ms")) {
            HttpResponse<byte[]> response = server.file("GET", DEBUGINFO);
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
        try (TestServer server =
                server("data", "http://127.0.0.1:" + late.getAddress().getPort() + "/")) {
            BuildFiles.ClientRequest request =
                    new BuildFiles.ClientRequest(ID, -1, ForwardedFor.NONE, Caller.operator());
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
        try (TcpForwarder forwarder = new TcpForwarder(0);
                TestServer one = server("one", "http://127.0.0.1:" + forwarder.port() + "/");
                TestServer other = server("other", one.url())) {
            forwarder.redirectTo(other.port());
            // A request that waited for itself would be answered 504.
            assertThat(one.file("GET", DEBUGINFO).statusCode()).isEqualTo(404);
            assertThat(other.file("GET", "/buildid/" + id(1) + "/executable").statusCode())
                    .isEqualTo(404);
        }
    }

    @ChecklistRow(27)
    @Test
    void requestThatPassedEightServersIsAnsweredFromThisServerOnly() {
        String hops = "10.0.0.1, 10.0.0.2, 10.0.0.3, 10.0.0.4, 10.0.0.5, 10.0.0.6, 10.0.0.7, 10.0.0.8";
        try (TestServer server = server("data", upstream.url("ok"))) {
            assertThat(server.file("GET", DEBUGINFO, "X-Forwarded-For", hops).statusCode())
                    .isEqualTo(404);
            assertThat(upstream.hits("ok")).isZero();
            server.file("GET", DEBUGINFO);
            assertThat(server.file("GET", DEBUGINFO, "X-Forwarded-For", hops).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void keptUploadIsSentByEveryServerAndASlimOneIsNot() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("ruby"), "0123456789abcdef0123456789abcdef01234569");
        byte[] whole = Files.readAllBytes(ruby.library());
        ByteArrayOutputStream slim = new ByteArrayOutputStream();
        DebugInfo.read(ruby.library(), new ReadOptions(Limits.DEFAULT, 1), info -> info.writeSlim(slim));
        String path = "/buildid/" + ruby.buildId();
        try (TestServer one = server("one", upstream.url("404"), "offsetd.uploads.keep=true");
                TestServer other = server("other", upstream.url("404"), "offsetd.uploads.keep=true")) {
            Publisher ci = Publisher.of(one, "ci");
            assertThat(ci.put(one, ruby.buildId(), slim.toByteArray()).statusCode())
                    .isEqualTo(201);
            assertThat(other.file("GET", path + "/debuginfo").statusCode()).isEqualTo(404);
            HttpResponse<byte[]> section = other.file("GET", path + "/section/.debug_info");
            assertThat(section.statusCode()).isEqualTo(200);

            // The same layouts with more besides: nothing to extract, but more to send.
            assertThat(Json.of(ci.put(one, ruby.buildId(), whole))
                            .path("result")
                            .asString())
                    .isEqualTo("replaced");
            for (TestServer server : List.of(one, other)) {
                HttpResponse<byte[]> response = server.file("GET", path + "/debuginfo");
                assertThat(response.body()).isEqualTo(whole);
                assertThat(header(response, "Cache-Control")).isEqualTo("public, max-age=60");
                assertThat(server.file("GET", path + "/executable").body()).isEqualTo(whole);
                assertThat(server.file("GET", path + "/section/.debug_info").body())
                        .isEqualTo(section.body());
            }
            assertThat(rows()).isPositive();
        }
    }

    @ChecklistRow(33)
    @Test
    void sectionsOfALargeFileAreFetchedAndAreNotItsDebugFile() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("ruby"), "0123456789abcdef0123456789abcdef0123456a");
        Path padding = Files.write(folder.resolve("padding"), new byte[1 << 20]);
        RequiredTool.require("objcopy").output("--add-section", ".padding=" + padding, ruby.debugFile());
        byte[] whole = Files.readAllBytes(ruby.debugFile());
        ruby.putInto(folder.resolve("debug"));
        String file = "/buildid/" + ruby.buildId() + "/debuginfo";
        String build = "/v1/builds/" + ruby.buildId();
        try (TestServer large =
                server("large", upstream.url("404"), "offsetd.local-folders=" + folder.resolve("debug"))) {
            database = TestDatabase.create();
            try (TestServer server = server("data", large.url(), "offsetd.upstreams.sections-above=100KB")) {
                HttpResponse<String> answer = server.offsets(ruby.buildId(), "rb_control_frame_struct.ep");
                assertThat(Json.item(answer, "rb_control_frame_struct.ep")
                                .path("offset")
                                .asInt())
                        .isEqualTo(16);
                assertThat(Json.of(server.get(build))
                                .path("provenance")
                                .path("fetchedBytes")
                                .asLong())
                        .isBetween(1L, whole.length / 4L);
                assertThat(server.file("GET", "/buildid/" + ruby.buildId() + "/section/.debug_info")
                                .statusCode())
                        .isEqualTo(200);
                assertThat(filesIn("data")).containsExactly(ruby.buildId().substring(2) + ".sections");
                assertThat(server.file("GET", file).body()).isEqualTo(whole);
                assertThat(filesIn("data")).contains(ruby.buildId().substring(2) + ".debug");
            }
            database = TestDatabase.create();
            try (TestServer server = server("other", large.url())) {
                assertThat(server.offsets(ruby.buildId(), "rb_control_frame_struct.ep")
                                .statusCode())
                        .isEqualTo(200);
                assertThat(filesIn("other")).containsExactly(ruby.buildId().substring(2) + ".debug");
            }
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
        try (TestServer server = server("data", upstream.url("later"), "offsetd.uploads.keep=true")) {
            upstream.has(ID, SmallBuild.otherLayouts());
            upstream.script("later", ID, "404");
            Publisher ci = Publisher.of(server, "ci");
            assertThat(ci.put(server, FILE).statusCode()).isEqualTo(201);
            assertThat(server.file("GET", DEBUGINFO).body()).isEqualTo(FILE);
            assertThat(rows()).isEqualTo(1);
            upstream.script("later", ID, "ok");
            ci.retry(server, ID);
            server.offsets(ID, "point");
            for (int i = 0; i < 1200 && rows() > 0; i++) {
                Thread.sleep(50);
            }
            assertThat(rows()).isZero();
            assertThat(server.file("GET", DEBUGINFO).body()).isEqualTo(SmallBuild.otherLayouts());
        }
    }

    private int rows() {
        return database.jdbc()
                .sql("select count(*) from kept_uploads")
                .query(Integer.class)
                .single();
    }
}
