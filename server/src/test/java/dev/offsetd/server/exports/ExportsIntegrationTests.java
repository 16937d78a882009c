package dev.offsetd.server.exports;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.Dw.DW_TAG_structure_type;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.label;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.name;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdInputStream;
import dev.offsetd.extractor.BpfObject;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Exports of a small kernel over HTTP: revisions, caches, codings, ranges, pins and the list for volatility3. */
@Timeout(120)
class ExportsIntegrationTests {

    private static final String BANNER = "Linux version 6.1.0-13-amd64 (d) (gcc) #1 SMP\n\0";

    @TempDir
    private static Path folder;

    private static BuildId kernel;
    private static TestServer server;
    private static HttpClient http;

    @BeforeAll
    static void start() throws Exception {
        Path source = Files.writeString(folder.resolve("kernel.c"), """
                struct task { struct task *next; int pid; char comm[16]; };
                struct other { long value; };
                struct task init_task;
                struct other unused;
                const char linux_banner[] = "Linux version 6.1.0-13-amd64 (d) (gcc) #1 SMP\\n";
                __attribute__((section(".init.text"))) int main(void) { return linux_banner[init_task.pid]; }
                """);
        Path program = folder.resolve("vmlinux");
        RequiredTool.require("gcc").output("-g", "-Wl,--build-id=sha1", source, "-o", program);
        kernel = put(Files.readAllBytes(program), program);
        Path small = folder.resolve("small");
        put(Files.write(small, SmallBuild.debugFile()));
        server = start("data", TestDatabase.create());
        http = HttpClient.newHttpClient();
    }

    private static TestServer start(String data, TestDatabase database, String... more) {
        String[] properties = Stream.concat(
                        Stream.of(
                                "offsetd.offline=true",
                                "offsetd.local-folders=" + folder.resolve("debug"),
                                "offsetd.volatility.additional=https://other.example/banners.json"),
                        Arrays.stream(more))
                .toArray(String[]::new);
        return TestServer.start(folder.resolve(data), database, properties);
    }

    private static void put(Path file) throws Exception {
        put(Files.readAllBytes(file), file);
    }

    private static BuildId put(byte[] bytes, Path file) throws Exception {
        try (DebugInfo info = DebugInfo.open(file)) {
            BuildId id = info.buildId().orElseThrow();
            String hex = id.toString();
            Path place = folder.resolve("debug/.build-id/" + hex.substring(0, 2) + "/" + hex.substring(2) + ".debug");
            Files.createDirectories(place.getParent());
            Files.write(place, bytes);
            return id;
        }
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
            http.close();
        }
    }

    /** Returns the path of the current revision. */
    private static String revision(TestServer of, BuildId id, String export) {
        String path = "/v1/exports/" + id + "/" + export;
        HttpResponse<String> response = of.get(path, "Prefer", "wait=30");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(302);
        return URI.create(path)
                .resolve(response.headers().firstValue("Location").orElseThrow())
                .toString();
    }

    private static HttpResponse<byte[]> bytes(String path, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static byte[] unzipped(byte[] gzip) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(gzip))) {
            return in.readAllBytes();
        }
    }

    @Test
    void isfIsAFileUnderAUrlWhoseBytesNeverChange() throws Exception {
        String path = revision(server, kernel, "isf");
        assertThat(path).matches("/v1/exports/" + kernel + "/isf/r/[0-9a-f]{32}/isf\\.json\\.gz");
        HttpResponse<byte[]> file = bytes(path);
        assertThat(file.statusCode()).isEqualTo(200);
        assertThat(header(file, "Content-Type")).isEqualTo("application/gzip");
        assertThat(header(file, "Content-Encoding")).isEmpty();
        assertThat(header(file, "Cache-Control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(header(file, "ETag")).isEqualTo('"' + DigestUtils.sha256Hex(file.body()) + '"');
        assertThat(header(file, "X-Offsetd-Omitted")).isEqualTo("0");
        JsonNode isf = JsonMapper.shared().readTree(unzipped(file.body()));
        assertThat(isf.at("/symbols/init_task/type/name").asString()).isEqualTo("task");
        assertThat(isf.at("/user_types/task/fields/pid/offset").asInt()).isEqualTo(8);
        assertThat(Base64.getDecoder()
                        .decode(isf.at("/symbols/linux_banner/constant_data").asString()))
                .isEqualTo(BANNER.getBytes(StandardCharsets.US_ASCII));

        HttpResponse<byte[]> known = bytes(path, "If-None-Match", header(file, "ETag"));
        assertThat(known.statusCode()).isEqualTo(304);
        HttpResponse<String> head = server.head(path);
        assertThat(header(head, "Content-Length")).isEqualTo(Integer.toString(file.body().length));
        assertThat(head.body()).isEmpty();
    }

    @Test
    void isfOfItemsHasOtherRevisions() throws Exception {
        String path = revision(server, kernel, "isf?types=symbol%20unused,absent");
        assertThat(path).matches("/v1/exports/" + kernel + "/isf/r/[0-9a-f]{32}/isf\\.json\\.gz\\?types=.*");
        assertThat(path).doesNotStartWith(revision(server, kernel, "isf"));
        HttpResponse<byte[]> file = bytes(path);
        assertThat(header(file, "X-Offsetd-Omitted")).isEqualTo("1");
        JsonNode isf = JsonMapper.shared().readTree(unzipped(file.body()));
        assertThat(isf.path("symbols").propertyNames())
                .containsExactlyInAnyOrder("unused", "init_task", "linux_banner");
        assertThat(isf.path("user_types").propertyNames()).containsExactlyInAnyOrder("other", "task");
        assertThat(server.get("/v1/exports/" + kernel + "/isf?types=@nothing").statusCode())
                .isEqualTo(400);
    }

    @Test
    void anotherServerMakesTheSameRevision() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (TestServer one = start("one", database);
                TestServer two = start("two", database)) {
            String path = revision(one, kernel, "isf");
            assertThat(revision(two, kernel, "isf")).isEqualTo(path);
            HttpResponse<String> first = one.head(path);
            HttpResponse<String> second = two.head(path);
            assertThat(header(second, "ETag")).isEqualTo(header(first, "ETag")).isNotEmpty();
        }
    }

    @Test
    void bannersListTheKernelForVolatility() {
        String path = revision(server, kernel, "isf");
        revision(server, SmallBuild.ID, "btf");
        JsonNode list = Json.of(server.get("/volatility/banners.json"));
        String banner = Base64.getEncoder().encodeToString(BANNER.getBytes(StandardCharsets.US_ASCII));
        assertThat(list.path("version").asInt()).isEqualTo(1);
        assertThat(list.path("linux").propertyNames()).containsExactly(banner);
        assertThat(list.path("linux").path(banner).valueStream().map(JsonNode::asString))
                .containsExactly(server.url() + path);
        assertThat(list.path("additional").valueStream().map(JsonNode::asString))
                .containsExactly("https://other.example/banners.json");
    }

    @Test
    void publicUrlStartsTheUrlsOfTheList() {
        try (TestServer other =
                start("public", TestDatabase.create(), "offsetd.public-url=https://offsets.example/x/")) {
            String path = revision(other, kernel, "isf");
            assertThat(other.get("/volatility/banners.json").body())
                    .contains("\"https://offsets.example/x" + path + "\"");
        }
    }

    @Test
    void btfIsReadByBpftoolInEveryCoding() throws Exception {
        String path = revision(server, kernel, "btf?types=task");
        byte[] plain = bytes(path).body();
        Path file = Files.write(folder.resolve("task.btf"), plain);
        assertThat(RequiredTool.require("bpftool").output("btf", "dump", "file", file))
                .contains("STRUCT 'task'")
                .doesNotContain("other");
        HttpResponse<byte[]> gzip = bytes(path, "Accept-Encoding", "gzip");
        assertThat(header(gzip, "Content-Encoding")).isEqualTo("gzip");
        assertThat(header(gzip, "Vary")).contains("Accept-Encoding");
        assertThat(unzipped(gzip.body())).isEqualTo(plain);
        HttpResponse<byte[]> zstd = bytes(path, "Accept-Encoding", "gzip, zstd");
        assertThat(header(zstd, "Content-Encoding")).isEqualTo("zstd");
        try (InputStream in = new ZstdInputStream(new ByteArrayInputStream(zstd.body()))) {
            assertThat(in.readAllBytes()).isEqualTo(plain);
        }
        assertThat(header(zstd, "ETag")).isNotEqualTo(header(gzip, "ETag"));
    }

    /** Compiles a program that reads a field of the kernel by CO-RE. */
    private static Path program(String name, String source) throws IOException {
        Path text = Files.writeString(folder.resolve(name + ".c"), source);
        Path object = folder.resolve(name + ".o");
        RequiredTool.require("clang").output("-g", "-O2", "-target", "bpf", "-c", text, "-o", object);
        return object;
    }

    private static Path pidReader() throws IOException {
        return program("pid", """
                struct task { int pid; } __attribute__((preserve_access_index));
                struct absent { int x; } __attribute__((preserve_access_index));
                __attribute__((section("socket"), used))
                int read_pid(struct task *t, struct absent *a) { return t->pid + a->x; }
                """);
    }

    private static HttpResponse<byte[]> post(String path, byte[] object, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server.url() + path))
                .setHeader("Content-Type", "application/octet-stream")
                .POST(HttpRequest.BodyPublishers.ofByteArray(object));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    @Test
    void programGetsTheTypesThatItRelocates() throws Exception {
        Path object = pidReader();
        revision(server, kernel, "btf");
        String path = "/v1/exports/" + kernel + "/btf";
        HttpResponse<byte[]> answer = post(path, Files.readAllBytes(object));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(header(answer, "Content-Type")).isEqualTo("application/octet-stream");
        assertThat(header(answer, "Cache-Control")).isEqualTo("no-store");
        assertThat(header(answer, "X-Offsetd-Omitted")).isEqualTo("1");
        Path file = Files.write(folder.resolve("pid.btf"), answer.body());
        RequiredTool bpftool = RequiredTool.require("bpftool");
        assertThat(bpftool.output("btf", "dump", "file", file))
                .contains("STRUCT 'task' size=32 vlen=3")
                .contains("'pid' type_id=")
                .doesNotContain("other");
        assertThat(post(path, Files.readAllBytes(object)).body()).isEqualTo(answer.body());
        assertThat(unzipped(post(path, Files.readAllBytes(object), "Accept-Encoding", "gzip")
                        .body()))
                .isEqualTo(answer.body());
    }

    /** libbpf finds the candidates and keeps the members that the relocations reach. */
    @Test
    void libbpfTakesTheTypesOfAProgram() throws Exception {
        Path object = program("known", """
                struct task { int pid; char comm[16]; } __attribute__((preserve_access_index));
                __attribute__((section("socket"), used))
                int read_pid(struct task *t) { return t->pid + t->comm[2]; }
                """);
        revision(server, kernel, "btf");
        HttpResponse<byte[]> answer = post("/v1/exports/" + kernel + "/btf", Files.readAllBytes(object));
        assertThat(header(answer, "X-Offsetd-Omitted")).isEqualTo("0");
        Path file = Files.write(folder.resolve("known.btf"), answer.body());
        Path minimized = folder.resolve("minimized.btf");
        RequiredTool bpftool = RequiredTool.require("bpftool");
        bpftool.output("gen", "min_core_btf", file, minimized, object);
        assertThat(bpftool.output("btf", "dump", "file", minimized))
                .containsPattern("'pid' type_id=\\d+ bits_offset=64")
                .containsPattern("'comm' type_id=\\d+ bits_offset=96")
                .doesNotContain("'next'");
    }

    @Test
    void checkTellsWhetherAProgramWorksWithEachBuild() throws Exception {
        revision(server, kernel, "btf");
        byte[] object = Files.readAllBytes(program("checked", """
                struct task { int pid; int gone; } __attribute__((preserve_access_index));
                struct absent { int x; } __attribute__((preserve_access_index));
                __attribute__((section("socket"), used))
                int read_pid(struct task *t, struct absent *a) {
                    int gone = __builtin_preserve_field_info(t->gone, 2) ? t->gone : 0;
                    return t->pid + gone + a->x;
                }
                """));
        String path = "/v1/checks?q=" + kernel;

        JsonNode report = JsonMapper.shared().readTree(post(path, object).body());

        assertThat(report.path("passes").asBoolean()).isFalse();
        JsonNode row = report.path("builds").get(0);
        assertThat(row.path("build").asString()).isEqualTo(kernel.toString());
        assertThat(row.path("resolved").asInt()).isEqualTo(1);
        assertThat(row.path("findings")
                        .valueStream()
                        .map(finding -> finding.path("status").asString() + " "
                                + finding.path("name").asString() + " "
                                + finding.path("kind").asString()))
                .containsExactlyInAnyOrder(
                        "absent_guarded struct task.gone field_exists",
                        "absent_guarded struct task.gone field_byte_offset",
                        "absent struct absent.x field_byte_offset");
        assertThat(new String(post(path, object, "Accept", "text/plain").body(), StandardCharsets.UTF_8))
                .startsWith("FAILS " + kernel)
                .contains("  absent struct absent.x (field_byte_offset): type_not_found\n");
        assertThat(new String(post(path, object, "Accept", "application/xml").body(), StandardCharsets.UTF_8))
                .contains("tests=\"4\" failures=\"1\"");
        assertThat(JsonMapper.shared()
                        .readTree(post("/v1/checks?q=nosuchname", object).body())
                        .path("passes")
                        .asBoolean())
                .isFalse();
        assertThat(problem(post(path + "&map=x", object))).containsExactly("400", "bad_map");
        assertThat(problem(post(path, new byte[10]))).containsExactly("400", "bad_body");
        assertThat(problem(post("/v1/checks?types=@nope", new byte[0]))).containsExactly("400", "unknown_set");
        assertThat(new String(
                        post(
                                        "/v1/checks?types=task.pid,nope.nope,task&q=" + kernel,
                                        new byte[0],
                                        "Accept",
                                        "text/plain")
                                .body(),
                        StandardCharsets.UTF_8))
                .startsWith("FAILS " + kernel)
                .contains("absent nope.nope: type_not_found")
                .doesNotContain("task.pid");
        assertThat(problem(post("/v1/checks?strict=1", object))).containsExactly("400", "bad_strict");
    }

    @Test
    void manyFindingsAreAllAnsweredAndTheFirstAreListedOnThePage() throws Exception {
        // Extracts the kernel.
        assertThat(revision(server, kernel, "btf")).isNotEmpty();
        String query = IntStream.range(0, 100)
                .mapToObj(number -> "nope" + number + ".x")
                .collect(Collectors.joining(",", "?types=", "&q=" + kernel));

        JsonNode report = JsonMapper.shared()
                .readTree(post("/v1/checks" + query, new byte[0]).body());
        assertThat(report.path("builds").get(0).path("findings")).hasSize(100);
        assertThat(new String(
                        post("/v1/checks" + query, new byte[0], "Accept", "application/xml")
                                .body(),
                        StandardCharsets.UTF_8))
                .startsWith("<?xml")
                .contains("tests=\"100\" failures=\"100\"")
                .endsWith("</testsuites>");
        assertThat(new String(
                        post("/v1/checks" + query, new byte[0], "Accept", "text/plain")
                                .body(),
                        StandardCharsets.UTF_8))
                .endsWith("nope99.x: type_not_found\n");

        assertThat(AdminClient.signIn(server).get("/admin/checks" + query).body())
                .contains("<code>nope49.x</code>", "50 more")
                .doesNotContain("<code>nope50.x</code>");
    }

    @Test
    void malformedProgramsAreTypedErrors() throws Exception {
        String path = "/v1/exports/" + kernel + "/btf";
        byte[] object = Files.readAllBytes(pidReader());
        for (byte[] body : List.of(new byte[0], new byte[100], Arrays.copyOf(object, object.length / 2))) {
            assertThat(problem(post(path, body))).containsExactly("400", "bad_body");
        }
        HttpResponse<byte[]> other = post(path, Files.readAllBytes(folder.resolve("vmlinux")));
        assertThat(problem(other)).containsExactly("400", "bad_body");
        assertThat(new String(other.body(), StandardCharsets.UTF_8))
                .contains(".BTF: the object has no such section; expected a BPF program compiled by clang");
        assertThat(problem(post(path, new byte[BpfObject.MAX_BYTES + 1]))).containsExactly("413", "too_large");
        assertThat(problem(post(path + "?types=task", object))).containsExactly("400", "unknown_parameter");
        assertThat(problem(post("/v1/exports/" + SmallBuild.UNKNOWN_ID + "/btf", object)))
                .containsExactly("404", "build_not_found");
        assertThat(problem(post(path, object, "Content-Type", "text/plain"))).contains("415");
    }

    private static List<String> problem(HttpResponse<byte[]> response) {
        JsonNode body = JsonMapper.shared().readTree(response.body());
        return List.of(
                Integer.toString(response.statusCode()), body.path("code").asString());
    }

    @Test
    void rangeIsAPartOfTheFile() throws Exception {
        String path = revision(server, kernel, "btf");
        byte[] whole = bytes(path).body();
        HttpResponse<byte[]> part = bytes(path, "Range", "bytes=4-19");
        assertThat(part.statusCode()).isEqualTo(206);
        assertThat(header(part, "Content-Range")).isEqualTo("bytes 4-19/" + whole.length);
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(whole, 4, 20));
        assertThat(bytes(path, "Range", "bytes=-3").body())
                .isEqualTo(Arrays.copyOfRange(whole, whole.length - 3, whole.length));
        assertThat(bytes(path, "Range", "bytes=4-", "If-Range", "\"other\"").statusCode())
                .isEqualTo(200);
        assertThat(bytes(path, "Range", "bytes=4-99999999999999999999").body())
                .isEqualTo(bytes(path, "Range", "bytes=4-").body());
        assertThat(server.get(path, "Range", "bytes=99999999999999999999-").statusCode())
                .isEqualTo(416);
        HttpResponse<String> outside = server.get(path, "Range", "bytes=999999-");
        assertThat(outside.statusCode()).isEqualTo(416);
        assertThat(header(outside, "Content-Range")).isEqualTo("bytes */" + whole.length);
        assertThat(header(outside, "Cache-Control")).isEqualTo("no-store");
    }

    @Test
    void pinMakesAnotherRevisionAndTheOldOneIsNeverOtherBytes() throws Exception {
        try (TestServer own = start("pins", TestDatabase.create())) {
            String cached = revision(own, SmallBuild.ID, "btf");
            String neverMade = revision(own, SmallBuild.ID, "btf?types=point");
            String before = header(own.head(cached), "ETag");
            Administrator.of(own, "test").pin(own, SmallBuild.ID, "point.y", "{\"offset\": 2, \"size\": 2}");

            String after = revision(own, SmallBuild.ID, "btf");
            assertThat(after).isNotEqualTo(cached);
            assertThat(header(own.head(after), "ETag")).isNotEqualTo(before);
            assertThat(header(own.head(cached), "ETag")).isEqualTo(before);
            HttpResponse<String> superseded = own.get(neverMade);
            assertThat(superseded.statusCode()).isEqualTo(404);
            assertThat(Json.of(superseded).path("code").asString()).isEqualTo("revision_not_found");
        }
    }

    @Test
    void pinMadeMeanwhileNeverGetsIntoAnEarlierRevision() throws Exception {
        try (TestServer own = start("meanwhile", TestDatabase.create())) {
            revision(own, SmallBuild.ID, "btf");
            Build build = own.bean(Builds.class).find(SmallBuild.ID).orElseThrow();
            ExportQuery query = ExportQuery.of(ServedFormat.BTF, null, BuildId::parse);
            ExportRenderings renderings = own.bean(ExportRenderings.class);
            ResolvedExport resolved = renderings.resolve(
                    new BuildAccess.Stored(build, Objects.requireNonNull(build.file())), query, List.of(), null);
            String key = resolved.export().key(ContentCoding.IDENTITY);
            Administrator.of(own, "test").pin(own, SmallBuild.ID, "point.y", "{\"offset\": 2, \"size\": 2}");

            assertThatThrownBy(() -> own.bean(Exports.class).get(resolved, ContentCoding.IDENTITY, Caller.operator()))
                    .isInstanceOfSatisfying(
                            ProblemException.class,
                            e -> assertThat(e.problem().code()).isEqualTo("busy"));
            assertThat(own.bean(Exports.class).find(key)).isEmpty();
        }
    }

    @Test
    void evictedRevisionIsMadeAgain() throws Exception {
        try (TestServer own = start("evicted", TestDatabase.create(), "offsetd.exports.max-size=700B")) {
            String first = revision(own, SmallBuild.ID, "btf");
            String second = revision(own, SmallBuild.ID, "btf?types=point");
            String third = revision(own, SmallBuild.ID, "btf?names=c");
            String etag = header(own.head(first), "ETag");
            for (int i = 0; i < 3; i++) {
                for (String path : List.of(second, third, first)) {
                    assertThat(own.head(path).statusCode()).isEqualTo(200);
                }
            }
            assertThat(header(own.head(first), "ETag")).isEqualTo(etag);
            try (Stream<Path> files = Files.list(folder.resolve("evicted/exports"))) {
                assertThat(files.mapToLong(file -> file.toFile().length()).sum())
                        .isLessThanOrEqualTo(700);
            }
            HttpResponse<String> large = own.get(revision(own, kernel, "isf"));
            assertThat(large.statusCode()).as(large.body()).isEqualTo(422);
            assertThat(Json.of(large).path("code").asString()).isEqualTo("limit_exceeded");
        }
    }

    @Test
    void manyClientsShareOneRendering() throws Exception {
        try (TestServer own = start("shared", TestDatabase.create());
                ExecutorService clients = Executors.newFixedThreadPool(20)) {
            String path = revision(own, kernel, "isf");
            Callable<Integer> client = () -> own.head(path).statusCode();
            for (var answer : clients.invokeAll(Collections.nCopies(20, client))) {
                assertThat(answer.get()).isEqualTo(200);
            }
            assertThat(own.get("/metrics").body())
                    .contains("offsetd_exports_rendering_seconds_count{format=\"isf\",outcome=\"rendered\"} 1");
        }
    }

    @Test
    void closedReadingNeedsAToken() {
        try (TestServer closed = start("closed", TestDatabase.create(), "offsetd.read-auth=true")) {
            for (String path : List.of(
                    "/volatility/banners.json",
                    "/v1/exports/" + kernel + "/isf",
                    "/v1/exports/" + kernel + "/btf/r/0123456789abcdef0123456789abcdef/types.btf")) {
                assertThat(closed.get(path).statusCode()).as(path).isEqualTo(401);
            }
            String token = "/t/"
                    + closed.bean(Tokens.class)
                            .create("vol", Set.of(Scope.READ), Duration.ofHours(1), Actor.operator("test"))
                            .text();
            HttpResponse<String> redirect = closed.get(token + "/v1/exports/" + kernel + "/isf", "Prefer", "wait=30");
            assertThat(redirect.statusCode()).as(redirect.body()).isEqualTo(302);
            String url = closed.url() + token + "/v1/exports/" + kernel + "/" + header(redirect, "Location");
            HttpResponse<String> list = closed.get(token + "/volatility/banners.json");
            assertThat(list.body()).contains("\"" + url + "\"");
            assertThat(header(list, "Cache-Control")).startsWith("private");
        }
    }

    @Test
    void malformedRequestsAreTypedErrors() {
        revision(server, kernel, "isf");
        String base = "/v1/exports/" + kernel;
        assertThat(server.get(base + "/btf?types=%40nosuchset").statusCode()).isEqualTo(400);
        assertThat(server.get(base + "/btf?names=rust").statusCode()).isEqualTo(400);
        assertThat(server.get(base + "/btf?base=xyz").statusCode()).isEqualTo(400);
        assertThat(server.get(base + "/isf?names=c").statusCode()).isEqualTo(400);
        assertThat(server.get("/v1/exports/xyz/isf").statusCode()).isEqualTo(400);
        assertThat(server.get("/v1/exports/" + SmallBuild.UNKNOWN_ID + "/isf").statusCode())
                .isEqualTo(404);
        assertThat(server.get(base + "/isf/r/0123456789abcdef0123456789abcdef/isf.json.gz")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void renderingEndsOnceItsClientIsGoneAndTheNextExportIsRendered() throws Exception {
        byte[] file = slowToExport();
        BuildId slow = put(file, Files.write(folder.resolve("slow"), file));
        try (TestServer one = start(
                "abandoned",
                TestDatabase.create(),
                "offsetd.exports.max-concurrent=1",
                "offsetd.exports.wait-timeout=100ms")) {
            String abandoned = revision(one, slow, "isf");
            String next = revision(one, SmallBuild.ID, "btf");
            MeterRegistry meters = one.bean(MeterRegistry.class);
            Gauge busy =
                    meters.get("offsetd.compute.busy").tag("kind", "exports").gauge();
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), one.port())) {
                String request = "GET " + abandoned + " HTTP/1.1\r\nHost: client\r\n\r\n";
                client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
                while (busy.value() == 0) {
                    Thread.sleep(10);
                }
                HttpResponse<String> refused = one.get(next);
                assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            }

            HttpResponse<String> response = one.get(next);
            while (response.statusCode() == 503) {
                assertThat(response.headers().firstValue("Retry-After")).isPresent();
                assertThat(one.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
                Thread.sleep(100);
                response = one.get(next);
            }

            assertThat(response.statusCode()).isEqualTo(200);
            Timer rendering = meters.get("offsetd.exports.rendering")
                    .tags("format", "isf", "outcome", "failed")
                    .timer();
            assertThat(rendering.count()).as("abandoned renderings").isEqualTo(1);
        }
    }

    /** Returns a file of 3 MB of which ISF has 13 GB: the name of a type for each of its members. */
    private static byte[] slowToExport() {
        List<DwarfTree.Part> members = new ArrayList<>(List.of(name("holder"), byteSize(4)));
        for (int i = 0; i < 200_000; i++) {
            members.add(member("m" + i, "long", 0));
        }
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                baseType("int", 4, DW_ATE_signed),
                                die(DW_TAG_structure_type, label("long"), name("n".repeat(1 << 16)), byteSize(4)),
                                die(DW_TAG_structure_type, members.toArray(DwarfTree.Part[]::new))))
                .toElf()
                .buildId(HexFormat.of().parseHex("e1".repeat(20)))
                .toBytes();
    }
}
