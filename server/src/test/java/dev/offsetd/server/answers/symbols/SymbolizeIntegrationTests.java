package dev.offsetd.server.answers.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.builds.BuildStates;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Functions and lines of builds, from local folders, upstreams and uploads. */
@Timeout(180)
class SymbolizeIntegrationTests {

    private static final int CALLERS = 100;
    private static final AtomicInteger BUILDS = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer server;
    private static Publisher ci;

    private BuildId id;

    /** A shared library in which function {@code inner} is inlined into {@code outer}. */
    private Path library;

    @BeforeAll
    static void start() throws IOException {
        Files.writeString(folder.resolve("library.c"), """
                struct point { int x, y; } origin;
                static inline __attribute__((always_inline)) void inner(void) {
                    __asm__ volatile("nop; nop; nop");
                }
                int outer(int a) {
                    inner();
                    return a + origin.x;
                }
                """);
        Files.createDirectories(folder.resolve("debug"));
        database = TestDatabase.create();
        server = server("data");
        ci = Publisher.of(server, "ci");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static TestServer server(String data, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.cors.allowed-origins=https://profiler.firefox.com"));
        all.addAll(List.of(properties));
        return TestServer.start(folder.resolve(data), database, all.toArray(String[]::new));
    }

    @BeforeEach
    void compile() throws IOException {
        id = BuildId.parse("%040x".formatted(0xabcdef_00000000L + BUILDS.incrementAndGet()));
        library = compile(id.toString(), "-shared", "-fPIC");
    }

    private static Path compile(String buildId, String... options) throws IOException {
        return compile("gcc", buildId, List.of(options));
    }

    private static Path compile(String compiler, String buildId, List<String> options) throws IOException {
        Path file = folder.resolve(buildId + "-library");
        List<Object> arguments = new ArrayList<>(options);
        arguments.addAll(List.of("-gdwarf-5", "-O1", "-nostdlib", "-Wl,--build-id=0x" + buildId));
        arguments.addAll(List.of(folder.resolve("library.c"), "-o", file));
        RequiredTool.require(compiler).output(arguments.toArray());
        return file;
    }

    private static Path placeInFolder(Object buildId) {
        String hex = buildId.toString();
        return folder.resolve("debug/.build-id").resolve(hex.substring(0, 2)).resolve(hex.substring(2) + ".debug");
    }

    private static void putIntoFolder(Object buildId, Path file) throws IOException {
        Files.createDirectories(placeInFolder(buildId).getParent());
        Files.copy(file, placeInFolder(buildId));
    }

    /** Returns the addresses of the code of function {@code outer}. */
    private static List<String> addresses(TestServer at, Object buildId) {
        return addresses(at, buildId, "outer");
    }

    private static List<String> addresses(TestServer at, Object buildId, String name) {
        HttpResponse<String> response = at.get("/v1/symbols/" + buildId + "?names=" + name, "Prefer", "wait=30");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonNode symbol =
                Json.of(response).path("names").path(name).path("symbols").path(0);
        long value = Long.decode(symbol.path("value").asString());
        return LongStream.range(value, value + symbol.path("size").asLong())
                .mapToObj(address -> "0x" + Long.toHexString(address))
                .toList();
    }

    private static JsonNode symbolize(TestServer at, Object buildId, String query) {
        HttpResponse<String> response = at.get("/v1/symbolize/" + buildId + "?addresses=" + query, "Prefer", "wait=30");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response);
    }

    private JsonNode symbolize(String address) {
        return symbolize(server, id, address).path("addresses").path(address);
    }

    private static long tables(BuildId id) {
        return database.jdbc()
                .sql("select count(*) from frame_tables where build_id = :id")
                .param("id", id.toBytes())
                .query(Long.class)
                .single();
    }

    /** Returns the first of these addresses that is inside of {@code inner}. */
    private String inlined(List<String> addresses) {
        return inlined(id, addresses);
    }

    private static String inlined(BuildId id, List<String> addresses) {
        JsonNode answer = symbolize(server, id, String.join(",", addresses));
        return addresses.stream()
                .filter(address ->
                        answer.path("addresses").path(address).path("frames").size() == 2)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void framesOfAnInlinedFunctionAreInnermostFirst() throws Exception {
        putIntoFolder(id, library);
        List<String> addresses = addresses(server, id);
        assertThat(tables(id)).as("queries for symbols read no lines").isZero();
        JsonNode at = symbolize(inlined(addresses));
        assertThat(at.path("status").asString()).isEqualTo("found");
        assertThat(at.path("symbol").path("name").asString()).isEqualTo("outer");
        JsonNode inner = at.path("frames").path(0);
        JsonNode outer = at.path("frames").path(1);
        assertThat(inner.path("function").asString()).isEqualTo("inner");
        assertThat(inner.path("inlined").asBoolean()).isTrue();
        assertThat(inner.path("line").asInt()).isEqualTo(3);
        assertThat(inner.path("file").asString()).endsWith("/library.c");
        assertThat(outer.path("function").asString()).isEqualTo("outer");
        assertThat(outer.path("inlined").asBoolean()).isFalse();
        assertThat(outer.path("line").asInt()).isEqualTo(6);
    }

    /** Returns an answer that does not wait until the table is stored. */
    private JsonNode beforeTheTable(Supplier<JsonNode> answer) throws SQLException {
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            // Nothing is stored until the lock is released.
            statement.execute("lock table frame_tables in share mode");
            JsonNode first = answer.get();
            assertThat(tables(id)).isZero();
            connection.rollback();
            return first;
        }
    }

    @Test
    void firstAnswerDoesNotWaitForTheWholeTable() throws Exception {
        putIntoFolder(id, library);
        List<String> addresses = addresses(server, id);
        JsonNode first = beforeTheTable(() -> symbolize(server, id, String.join(",", addresses)));
        while (tables(id) == 0) {
            Thread.sleep(10);
        }
        assertThat(symbolize(server, id, String.join(",", addresses))).isEqualTo(first);
    }

    @Test
    void firstAnswerOfAnUnknownBuildDoesNotWaitForItsTypes() throws Exception {
        putIntoFolder(id, library);
        List<String> known = addresses(server, id);
        String addresses = String.join(",", known);
        TestDatabase own = TestDatabase.create();
        try (CountingUpstream upstream = new CountingUpstream();
                TestServer early = TestServer.start(
                        folder.resolve("early"),
                        own,
                        "offsetd.upstreams.urls=" + upstream.url("up"),
                        "offsetd.extraction.answer-unstored-from=0B")) {
            upstream.put(id, Files.readAllBytes(library));
            JsonNode first;
            try (Connection connection = own.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(false);
                // Nothing is stored until the lock is released.
                statement.execute("lock table catalogues in share mode");
                first = symbolize(early, id, addresses);
                assertThat(early.get("/v1/symbolize/" + id + "?addresses=file:0x0", "Prefer", "wait=0")
                                .statusCode())
                        .isEqualTo(202);
                connection.rollback();
            }
            assertThat(first.path("addresses").path(inlined(known)).path("frames"))
                    .hasSize(2);
            assertThat(first.path("addresses"))
                    .isEqualTo(symbolize(server, id, addresses).path("addresses"));
            // The table is made without a further request.
            while (own.jdbc()
                            .sql("select count(*) from frame_tables")
                            .query(Long.class)
                            .single()
                    == 0) {
                Thread.sleep(10);
            }
            assertThat(symbolize(early, id, addresses)).isEqualTo(first);
        }
    }

    @Test
    void answerOfAStoredTableHasAValidatorAndCborHasTheSame() throws Exception {
        putIntoFolder(id, library);
        String path =
                "/v1/symbolize/" + id + "?addresses=" + addresses(server, id).getFirst();
        HttpResponse<String> first = server.get(path, "Prefer", "wait=30");
        String etag = first.headers().firstValue("ETag").orElseThrow();
        assertThat(server.get(path, "If-None-Match", etag).statusCode()).isEqualTo(304);
        assertThat(first.headers().firstValue("Cache-Control").orElseThrow()).contains("max-age=60");
        HttpResponse<byte[]> cbor =
                server.cbor("GET", path, HttpRequest.BodyPublishers.noBody(), "Accept", "application/cbor");
        assertThat(cbor.headers().firstValue("Content-Type")).hasValue("application/cbor");
        assertThat(Cbor.of(cbor).toString()).isEqualTo(Json.of(first).toString());
    }

    @Test
    void returnAddressIsLookedUpOneByteBefore() throws Exception {
        putIntoFolder(id, library);
        String start = addresses(server, id).getFirst();
        String next = "0x" + Long.toHexString(Long.decode(start) + 1);
        JsonNode direct = symbolize(start).path("frames");
        JsonNode before = symbolize(server, id, next + "&returnAddress=true")
                .path("addresses")
                .path(next);
        assertThat(before.path("frames")).isEqualTo(direct);
        assertThat(before.path("symbol").path("offset").asInt(-1)).isZero();
        HttpResponse<String> batch = server.post(
                "/v1/symbolize",
                "[{\"buildId\": \"" + id + "\", \"addresses\": [\"" + next + "\"], \"returnAddress\": true}]",
                "Content-Type",
                "application/json");
        assertThat(Json.of(batch).at("/answers/0/answer/addresses").path(next)).isEqualTo(before);
    }

    @Test
    void functionsOfCppHaveTheirScopesAndLinkageNames() throws Exception {
        Path source = Files.writeString(folder.resolve("wheel.cpp"), """
                namespace ns {
                struct Wheel {
                    static inline __attribute__((always_inline)) void spin() { __asm__ volatile("nop; nop; nop"); }
                    static int turn(int x);
                };
                int Wheel::turn(int x) { spin(); return x + 1; }
                }
                extern "C" int outer(int x) { return ns::Wheel::turn(x); }
                """);
        Path file = folder.resolve(id + "-wheel");
        RequiredTool.require("g++")
                .output("-shared", "-fPIC", "-g", "-O1", "-nostdlib", "-Wl,--build-id=0x" + id, source, "-o", file);
        putIntoFolder(id, file);
        String name = "_ZN2ns5Wheel4turnEi";
        long start = Long.decode(addresses(server, id, name).getFirst());
        JsonNode frames = symbolize("0x" + Long.toHexString(start + 1)).path("frames");
        assertThat(frames.findValuesAsString("function")).containsExactly("ns::Wheel::spin", "ns::Wheel::turn");
        assertThat(frames.findValuesAsString("linkageName")).containsExactly("_ZN2ns5Wheel4spinEv", name);
    }

    @Test
    void pageOfABuildShowsTheFramesAtAnAddress() throws Exception {
        putIntoFolder(id, library);
        String address = inlined(addresses(server, id));
        AdminClient reader = AdminClient.signIn(server, "reader" + id, "read");
        assertThat(reader.get("/admin/builds/" + id).body()).contains("Look up");
        assertThat(reader.get("/admin/builds/" + id + "/lines?address=" + address)
                        .body())
                .contains("inner", "outer", "inlined", "library.c");
        assertThat(reader.get("/admin/builds/" + id + "/lines?address=x").body())
                .contains("hex digits");
    }

    @Test
    void addressInNothingIsOutside() throws Exception {
        putIntoFolder(id, library);
        JsonNode at = symbolize("0xffffffffffff0000");
        assertThat(at.path("status").asString()).isEqualTo("outside");
        assertThat(at.path("frames").isEmpty()).isTrue();
    }

    @Test
    void malformedAddressIsABadRequest() {
        assertThat(server.get("/v1/symbolize/" + id + "?addresses=12").statusCode())
                .isEqualTo(400);
        assertThat(server.get("/v1/symbolize/" + id).statusCode()).isEqualTo(400);
    }

    @Test
    void buildWhoseFileIsGoneSaysSoAndAnswersSymbols() throws Exception {
        putIntoFolder(id, library);
        String address = addresses(server, id).getFirst();
        Files.delete(placeInFolder(id));
        JsonNode answer = symbolize(server, id, address);
        assertThat(answer.path("problem").path("code").asString()).isEqualTo("source_gone");
        assertThat(answer.path("problem").path("detail").asString()).contains("upload");
        JsonNode at = answer.path("addresses").path(address);
        assertThat(at.path("status").asString()).isEqualTo("source_gone");
        assertThat(at.path("symbol").path("name").asString()).isEqualTo("outer");
    }

    @Test
    void tableOfAnUploadThatIsNotKeptIsMadeOnArrival() throws Exception {
        assertThat(ci.put(server, id, Files.readAllBytes(library)).statusCode()).isEqualTo(201);
        assertThat(tables(id)).isEqualTo(1);
        assertThat(symbolize(addresses(server, id).getFirst()).path("status").asString())
                .isEqualTo("found");
    }

    @Test
    void tableOfAKeptUploadIsMadeOnRequest() throws Exception {
        try (TestServer keeping = server("keeping", "offsetd.uploads.keep=true")) {
            assertThat(ci.put(keeping, id, Files.readAllBytes(library)).statusCode())
                    .isEqualTo(201);
            assertThat(tables(id)).isZero();
            String address = addresses(keeping, id).getFirst();
            assertThat(symbolize(keeping, id, address)
                            .path("addresses")
                            .path(address)
                            .path("status")
                            .asString())
                    .isEqualTo("found");
        }
    }

    @ParameterizedTest
    @CsvSource({"false", "true"})
    void uploadWithoutTableIsGoneUntilItIsSentAgain(boolean keep) throws Exception {
        try (TestServer without = server("without", "offsetd.symbolize.uploads=false")) {
            assertThat(ci.put(without, id, Files.readAllBytes(library)).statusCode())
                    .isEqualTo(201);
        }
        String address = addresses(server, id).getFirst();
        assertThat(symbolize(address).path("status").asString()).isEqualTo("source_gone");
        // A client sends the file later.
        database.jdbc()
                .sql("update debug_files set frames_retry_at = now() where build_id = :id")
                .param("id", id.toBytes())
                .update();
        try (TestServer again = server("again", "offsetd.uploads.keep=" + keep)) {
            JsonNode advice = Json.of(ci.precheck(again, id, "?sha256=" + sha256(library)));
            assertThat(advice.path("upload").asBoolean()).as(advice.toString()).isTrue();
            assertThat(advice.path("detail").asString()).contains("functions and lines");
            assertThat(ci.put(again, id, Files.readAllBytes(library)).statusCode())
                    .isEqualTo(200);
        }
        assertThat(symbolize(address).path("status").asString()).isEqualTo("found");
    }

    /** Returns the seconds until the file of a build is looked for again that no source has. */
    private double secondsUntilRetry(TestServer at) throws Exception {
        putIntoFolder(id, library);
        String address = addresses(server, id).getFirst();
        Files.delete(placeInFolder(id));
        JsonNode answer = symbolize(at, id, address);
        assertThat(answer.path("problem").path("code").asString()).isEqualTo("source_gone");
        return database.jdbc()
                .sql("select extract(epoch from frames_retry_at - now()) from debug_files where build_id = :id")
                .param("id", id.toBytes())
                .query(Double.class)
                .single();
    }

    @Test
    void fileIsLookedForAgainWhenItsSourceMayHaveIt() throws Exception {
        assertThat(secondsUntilRetry(server)).as("a folder").isBetween(1.0, 30.0);
        compile();
        try (CountingUpstream upstream = new CountingUpstream();
                TestServer federating = TestServer.start(
                        folder.resolve("federating"),
                        database,
                        "offsetd.local-folders=" + folder.resolve("debug"),
                        "offsetd.upstreams.urls=" + upstream.url("up"))) {
            assertThat(secondsUntilRetry(federating)).as("an upstream, too").isBetween(60.0, 120.0);
        }
    }

    /** Without it, a build of which {@code offsetd push} left the lines out would never have them. */
    @Test
    void wholeFileReplacesOneWithoutLines() throws Exception {
        Path slim = folder.resolve(id + "-slim");
        RequiredTool.require("objcopy").output("--remove-section=.debug_line", library, slim);
        assertThat(ci.put(server, id, Files.readAllBytes(slim)).statusCode()).isEqualTo(201);
        String address = addresses(server, id).getFirst();
        assertThat(symbolize(address).path("status").asString()).isEqualTo("no_line");
        assertThat(ci.put(server, id, Files.readAllBytes(library)).statusCode()).isEqualTo(200);
        assertThat(symbolize(address).path("status").asString()).isEqualTo("found");
    }

    /** A slim copy of an unstripped program may be larger than its whole debug file. */
    private Path largerWithoutLines() throws IOException {
        Path slim = folder.resolve(id + "-slim");
        Path padding = Files.write(folder.resolve(id + "-padding"), new byte[100_000]);
        RequiredTool.require("objcopy")
                .output("--remove-section=.debug_line", "--add-section=.padding=" + padding, library, slim);
        return slim;
    }

    @Test
    void largerFileWithoutLinesReplacesNoneWithLines() throws Exception {
        Path slim = largerWithoutLines();
        assertThat(ci.put(server, id, Files.readAllBytes(library)).statusCode()).isEqualTo(201);
        HttpResponse<String> refused = ci.put(server, id, Files.readAllBytes(slim));
        assertThat(Json.of(refused).path("reason").asString())
                .as(refused.body())
                .isEqualTo("not_richer");
        String address = addresses(server, id).getFirst();
        assertThat(symbolize(address).path("status").asString()).isEqualTo("found");
    }

    @Test
    void smallerFileWithLinesReplacesOneWithout() throws Exception {
        Path slim = largerWithoutLines();
        assertThat(ci.put(server, id, Files.readAllBytes(slim)).statusCode()).isEqualTo(201);
        assertThat(ci.put(server, id, Files.readAllBytes(library)).statusCode()).isEqualTo(200);
        String address = addresses(server, id).getFirst();
        assertThat(symbolize(address).path("status").asString()).isEqualTo("found");
    }

    private static String sha256(Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    @Test
    void damagedTableIsReadAgain() throws Exception {
        putIntoFolder(id, library);
        String address = addresses(server, id).getFirst();
        assertThat(symbolize(address).path("status").asString()).isEqualTo("found");
        database.jdbc()
                .sql("update frame_tables set blob = '\\x00' where build_id = :id")
                .param("id", id.toBytes())
                .update();
        try (TestServer other = server("other")) {
            assertThat(symbolize(other, id, address)
                            .path("addresses")
                            .path(address)
                            .path("status")
                            .asString())
                    .isEqualTo("found");
            assertThat(other.offsets(id, "point").statusCode()).isEqualTo(200);
        }
    }

    private void setVersion(int version) {
        database.jdbc()
                .sql("update debug_files set frames_version = :version where build_id = :id")
                .param("version", version)
                .param("id", id.toBytes())
                .update();
    }

    private int version() {
        return database.jdbc()
                .sql("select frames_version from debug_files where build_id = :id")
                .param("id", id.toBytes())
                .query(Integer.class)
                .single();
    }

    /** Makes the table of the library in the folder, and returns an address in it. */
    private String makeTable() throws Exception {
        putIntoFolder(id, library);
        String address = addresses(server, id).getFirst();
        symbolize(address);
        while (tables(id) == 0) {
            Thread.sleep(10);
        }
        return address;
    }

    /** Asks until a renewal fails: a request that meets the lease of the upload starts none. */
    private void awaitFailedRenewal(String address) throws InterruptedException {
        while (database.jdbc()
                        .sql("select count(frames_retry_at) from debug_files where build_id = :id")
                        .param("id", id.toBytes())
                        .query(Long.class)
                        .single()
                == 0) {
            assertThat(stale(address)).isTrue();
            Thread.sleep(20);
        }
    }

    /** Asserts that an address has its functions and lines, and returns whether they are marked as those of an earlier reader. */
    private boolean stale(String address) {
        JsonNode answer = symbolize(server, id, address);
        assertThat(answer.path("addresses").path(address).path("status").asString())
                .as(answer.toString())
                .isEqualTo("found");
        return answer.path("stale").asBoolean();
    }

    @Test
    void tableOfAnEarlierReaderAnswersUntilItIsMadeAgain() throws Exception {
        String address = makeTable();
        assertThat(stale(address)).isFalse();
        setVersion(PartVersions.FRAMES - 1);
        assertThat(stale(address)).isTrue();
        while (stale(address)) {
            Thread.sleep(20);
        }
        assertThat(version()).isEqualTo(PartVersions.FRAMES);
    }

    @Test
    void tableOfAnEarlierReaderStaysIfTheFileIsGone() throws Exception {
        assertThat(ci.put(server, id, Files.readAllBytes(library)).statusCode()).isEqualTo(201);
        String address = addresses(server, id).getFirst();
        setVersion(PartVersions.FRAMES - 1);
        awaitFailedRenewal(address);
        assertThat(stale(address)).isTrue();
        assertThat(version()).isEqualTo(PartVersions.FRAMES - 1);
        assertThat(Json.of(ci.precheck(server, id, "?sha256=" + sha256(library)))
                        .path("upload")
                        .asBoolean())
                .isTrue();
        assertThat(ci.put(server, id, Files.readAllBytes(library)).statusCode()).isEqualTo(200);
        assertThat(stale(address)).isFalse();
    }

    @Test
    void processThatEndsWhileATableIsMadeAgainPutsThatOff() throws Exception {
        String address = makeTable();
        assertThat(stale(address)).isFalse();
        setVersion(PartVersions.FRAMES - 1);
        LeaseHolder leases = server.bean(LeaseHolder.class);
        WorkProgress progress = leases.startProgress(
                leases.claim(id, () -> Optional.of(id)).orElseThrow().lease());
        progress.reading();
        progress.computing();
        assertThat(server.bean(BuildStates.class).recordProcessEnd(Duration.ofHours(1)))
                .contains(id);
        awaitFailedRenewal(address);
        assertThat(stale(address)).isTrue();
        assertThat(version()).isEqualTo(PartVersions.FRAMES - 1);
    }

    @Test
    void functionsThatEndTwoProcessesArePausedTwice() throws Exception {
        putIntoFolder(id, library);
        addresses(server, id);
        for (int end = 1; end <= 2; end++) {
            database.jdbc()
                    .sql(
                            "update debug_files set frames_retry_at = now() where frames_retry_at is not null and build_id = :id")
                    .param("id", id.toBytes())
                    .update();
            try (LeaseHolder.UnleasedWork work = server.bean(LeaseHolder.class).startWithoutLease(id)) {
                work.progress().computing();
                assertThat(server.bean(BuildStates.class).recordProcessEnd(Duration.ofHours(1)))
                        .contains(id);
            }
            assertThat(database.jdbc()
                            .sql("select frames_retry_at > now() from debug_files where build_id = :id")
                            .param("id", id.toBytes())
                            .query(Boolean.class)
                            .single())
                    .as("end " + end)
                    .isTrue();
        }
    }

    @Test
    void failureOfAnEarlierReaderIsTriedAgain() throws Exception {
        putIntoFolder(id, library);
        String address = addresses(server, id).getFirst();
        Files.delete(placeInFolder(id));
        assertThat(symbolize(address).path("status").asString()).isEqualTo("source_gone");
        putIntoFolder(id, library);
        setVersion(PartVersions.FRAMES - 1);
        assertThat(stale(address)).isFalse();
    }

    @Test
    void unreadableTableOfALaterReaderIsLeftAlone() throws Exception {
        String address = makeTable();
        assertThat(stale(address)).isFalse();
        setVersion(PartVersions.FRAMES + 1);
        assertThat(stale(address)).isFalse();
        database.jdbc()
                .sql("update frame_tables set blob = '\\x00' where build_id = :id")
                .param("id", id.toBytes())
                .update();
        try (TestServer earlier = server("earlier")) {
            HttpResponse<String> answer =
                    earlier.get("/v1/symbolize/" + id + "?addresses=" + address, "Prefer", "wait=30");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
            assertThat(Json.of(answer).path("code").asString()).isEqualTo("later_version");
            assertThat(status(batch(earlier, id, address), address)).isEqualTo("failed");
        }
        assertThat(version()).isEqualTo(PartVersions.FRAMES + 1);
    }

    @Test
    void fileWithoutDebugInformationHasFunctionsWithoutLines() throws Exception {
        Path stripped = folder.resolve(id + "-stripped");
        RequiredTool.require("objcopy").output("--strip-debug", library, stripped);
        putIntoFolder(id, stripped);
        JsonNode at = symbolize(addresses(server, id).getFirst());
        assertThat(at.path("status").asString()).isEqualTo("no_line");
        assertThat(at.path("frames").path(0).path("function").asString()).isEqualTo("outer");
    }

    /** No upload without debug information is kept, so nothing could be read from it later. */
    @ParameterizedTest
    @CsvSource({"false", "true"})
    void strippedUploadHasFunctionsWithoutLines(boolean keep) throws Exception {
        Path stripped = folder.resolve(id + "-stripped");
        RequiredTool.require("objcopy").output("--strip-debug", library, stripped);
        try (TestServer at = server("stripped-" + keep, "offsetd.uploads.keep=" + keep)) {
            assertThat(ci.put(at, id, Files.readAllBytes(stripped)).body()).contains("symbolsKept");
            String address = addresses(at, id).getFirst();
            JsonNode found = symbolize(at, id, address).path("addresses").path(address);
            assertThat(found.path("status").asString()).isEqualTo("no_line");
            assertThat(found.path("frames").path(0).path("function").asString()).isEqualTo("outer");
        }
    }

    @Test
    void queriesOfABatchHaveTheirOwnStatus() throws Exception {
        putIntoFolder(id, library);
        String address = addresses(server, id).getFirst();
        String unknown = "ee".repeat(20);
        HttpResponse<String> response = server.post(
                "/v1/symbolize",
                """
                        [{"buildId": "%s", "addresses": ["%s", "0x1", "10", "file:0xffffff"], "id": "mine"},
                         {"buildId": "%s", "addresses": ["0x10", "10"]},
                         {"buildId": "%s", "addresses": []}]
                        """.formatted(id, address, unknown, id),
                "Content-Type",
                "application/json",
                "Prefer",
                "wait=30");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonNode answers = Json.of(response).path("answers");
        assertThat(answers.path(0).path("status").asInt()).isEqualTo(200);
        assertThat(answers.path(0).path("id").asString()).isEqualTo("mine");
        assertThat(answers.path(0)
                        .path("answer")
                        .path("addresses")
                        .path(address)
                        .path("status")
                        .asString())
                .isEqualTo("found");
        JsonNode addresses = answers.path(0).path("answer").path("addresses");
        assertThat(addresses.path("10").path("status").asString()).isEqualTo("malformed");
        assertThat(addresses.path("10").path("detail").asString()).contains("expected 0x and 1 to 16 hex digits");
        assertThat(addresses.path("10").path("frames").isArray()).isTrue();
        assertThat(addresses.path("file:0xffffff").path("status").asString()).isEqualTo("outside");
        assertThat(addresses.path("file:0xffffff").path("detail").asString())
                .contains("outside of all loaded segments");
        assertThat(answers.path(0).path("answer").path("complete").asBoolean(true))
                .isFalse();
        assertThat(answers.path(1).path("status").asInt()).isEqualTo(404);
        assertThat(answers.path(1).path("problem").path("code").asString()).isEqualTo("build_not_found");
        assertThat(answers.path(1)
                        .path("answer")
                        .path("addresses")
                        .path("0x10")
                        .path("status")
                        .asString())
                .isEqualTo("unknown_build");
        assertThat(answers.path(1)
                        .path("answer")
                        .path("addresses")
                        .path("10")
                        .path("status")
                        .asString())
                .isEqualTo("malformed");
        assertThat(answers.path(2).path("status").asInt()).isEqualTo(400);
    }

    @Test
    void answerOfABatchTooLargeForMemoryIsTheSameInJsonAndCbor() throws Exception {
        putIntoFolder(id, library);
        String address = addresses(server, id).getFirst();
        String prefix = "ü".repeat(30);
        String malformed = IntStream.range(0, 9_000)
                .mapToObj(number -> ",\"" + prefix + number + "\"")
                .collect(Collectors.joining());
        String queries = "[{\"buildId\": \"%s\", \"addresses\": [\"%s\"%s]}]".formatted(id, address, malformed);
        symbolize(address);

        HttpResponse<String> json = server.post("/v1/symbolize", queries, "Content-Type", "application/json");
        HttpResponse<byte[]> cbor = server.cbor(
                "POST",
                "/v1/symbolize",
                HttpRequest.BodyPublishers.ofString(queries),
                "Content-Type",
                "application/json",
                "Accept",
                "application/cbor");

        assertThat(json.body().getBytes(StandardCharsets.UTF_8)).hasSizeGreaterThan(1 << 21);
        JsonNode addresses =
                Json.of(json).path("answers").path(0).path("answer").path("addresses");
        assertThat(addresses).hasSize(9_001);
        assertThat(addresses.path(address).path("status").asString()).isEqualTo("found");
        assertThat(addresses.path(prefix + "8999").path("status").asString()).isEqualTo("malformed");
        assertThat(Cbor.of(cbor).toString()).isEqualTo(Json.of(json).toString());
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "null, null", "{}, an object", "[], an empty array"})
    void idOfABatchThatIsNoStringIsNamed(String id, String named) {
        String query = "{\"buildId\":\"" + SmallBuild.UNKNOWN_ID + "\",\"addresses\":[\"0x1\"],\"id\":" + id + "}";

        JsonNode answer = Json.of(server.post("/v1/symbolize", "[" + query + "]", "Content-Type", "application/json"));

        assertThat(answer.findValuesAsString("detail"))
                .containsExactly("id is " + named + "; expected a string of at most 128 characters");
    }

    @Test
    void batchHasALimitOfAddresses() {
        String address = "\"0x1\",".repeat(5_001).replaceAll(",$", "");
        String query = "{\"buildId\": \"" + id + "\", \"addresses\": [" + address + "]}";
        HttpResponse<String> response =
                server.post("/v1/symbolize", "[" + query + "," + query + "]", "Content-Type", "application/json");
        assertThat(response.statusCode()).isEqualTo(413);
    }

    private static void assertFound(List<Future<JsonNode>> calls, String address) throws Exception {
        for (Future<JsonNode> call : calls) {
            assertThat(call.get().path("addresses").path(address).path("status").asString())
                    .isEqualTo("found");
        }
    }

    /**
     * The server that has the file begins to make the table before the others poll. The second time, callers ask for it before the
     * types are stored.
     */
    @ParameterizedTest
    @CsvSource({"8MB", "0B"})
    @ChecklistRow(12)
    void threeServersFetchTheFileOfAnUnknownBuildOnce(String answerUnstoredFrom) throws Exception {
        putIntoFolder(id, library);
        String address = addresses(server, id).getFirst();
        TestDatabase own = TestDatabase.create();
        try (CountingUpstream upstream = new CountingUpstream()) {
            upstream.put(id, Files.readAllBytes(library));
            upstream.hold(id);
            String[] properties = {
                "offsetd.upstreams.urls=" + upstream.url("up"),
                "offsetd.extraction.answer-unstored-from=" + answerUnstoredFrom,
                "offsetd.lease.poll=10s",
                "spring.datasource.hikari.connection-timeout=30000"
            };
            String[] rarelyPolling = properties.clone();
            rarelyPolling[2] = "offsetd.lease.poll=60s";
            try (TestServer a = TestServer.start(folder.resolve("a" + answerUnstoredFrom), own, rarelyPolling);
                    TestServer b = TestServer.start(folder.resolve("b" + answerUnstoredFrom), own, properties);
                    TestServer c = TestServer.start(folder.resolve("c" + answerUnstoredFrom), own, properties);
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<JsonNode>> calls = new ArrayList<>();
                for (TestServer at : List.of(a, b, c)) {
                    for (int i = 0; i < CALLERS; i++) {
                        calls.add(threads.submit(() -> symbolize(at, id, address)));
                    }
                    while (upstream.hits(id) == 0) {
                        Thread.sleep(20);
                    }
                }
                upstream.release(id);
                assertFound(calls, address);
            }
            assertThat(upstream.hits(id)).isEqualTo(1);
        }
    }

    @Test
    @ChecklistRow(12)
    void threeServersFetchTheFileOfAStoredBuildOnce() throws Exception {
        TestDatabase own = TestDatabase.create();
        try (CountingUpstream upstream = new CountingUpstream()) {
            upstream.put(id, Files.readAllBytes(library));
            String[] properties = {
                "offsetd.upstreams.urls=" + upstream.url("up"), "spring.datasource.hikari.connection-timeout=30000"
            };
            String address;
            try (TestServer first = TestServer.start(folder.resolve("first"), own, properties)) {
                address = addresses(first, id).getFirst();
            }
            assertThat(upstream.hits(id)).isEqualTo(1);
            upstream.hold(id);
            try (TestServer a = TestServer.start(folder.resolve("a"), own, properties);
                    TestServer b = TestServer.start(folder.resolve("b"), own, properties);
                    TestServer c = TestServer.start(folder.resolve("c"), own, properties);
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<JsonNode>> calls = new ArrayList<>();
                for (TestServer at : List.of(a, b, c)) {
                    for (int i = 0; i < CALLERS; i++) {
                        calls.add(threads.submit(() -> symbolize(at, id, address)));
                    }
                }
                while (upstream.hits(id) < 2) {
                    Thread.sleep(20);
                }
                upstream.release(id);
                assertFound(calls, address);
            }
            assertThat(upstream.hits(id)).isEqualTo(2);
        }
    }

    private static JsonNode batch(TestServer at, Object key, String address, String... headers) {
        List<String> all = new ArrayList<>(List.of("Content-Type", "application/json"));
        all.addAll(List.of(headers));
        HttpResponse<String> response = at.post(
                "/v1/symbolize",
                "[{\"buildId\": \"" + key + "\", \"addresses\": [\"" + address + "\"]}]",
                all.toArray(String[]::new));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response).path("answers").path(0);
    }

    /** Returns the status of an address in the only answer of a batch. */
    private static String status(JsonNode reply, String address) {
        return reply.path("answer")
                .path("addresses")
                .path(address)
                .path("status")
                .asString();
    }

    /** Asserts that neither a query nor a batch waits for a build, and that both say so. */
    private void assertInProgress(TestServer at, String address) {
        HttpResponse<String> response =
                at.get("/v1/symbolize/" + id + "?addresses=" + address, "Prefer", "respond-async, wait=0");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        assertThat(response.headers().firstValue("Preference-Applied")).hasValue("wait=0");
        assertThat(response.headers().firstValue("Location")).hasValue("/v1/builds/" + id);
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
        JsonNode reply = batch(at, id, address, "Prefer", "wait=0");
        assertThat(reply.path("status").asInt()).isEqualTo(202);
        assertThat(reply.path("location").asString()).isEqualTo("/v1/builds/" + id);
        assertThat(status(reply, address)).isEqualTo("in_progress");
        assertThat(reply.path("answer").path("complete").asBoolean(true)).isFalse();
    }

    /** Starts a server whose only source is an upstream. Its data folder of this name has no file that another server fetched. */
    private static TestServer behind(CountingUpstream upstream, TestDatabase own, String data) {
        return TestServer.start(
                folder.resolve(data),
                own,
                "offsetd.upstreams.urls=" + upstream.url("up"),
                "offsetd.extraction.retry.failed=1ms");
    }

    /** The file is fetched for types and symbols, and again for the lines of the stored build. */
    @Test
    void buildIsInProgressWhileItsFileIsFetchedAndFetchedAgain() throws Exception {
        TestDatabase own = TestDatabase.create();
        try (CountingUpstream upstream = new CountingUpstream()) {
            upstream.put(id, Files.readAllBytes(library));
            upstream.hold(id);
            String address;
            try (TestServer first = behind(upstream, own, "held")) {
                assertInProgress(first, "0x10");
                upstream.release(id);
                address = addresses(first, id).getFirst();
            }
            upstream.hold(id);
            try (TestServer second = behind(upstream, own, "held-again")) {
                assertInProgress(second, address);
                upstream.release(id);
                JsonNode reply = batch(second, id, address, "Prefer", "wait=30");
                assertThat(reply.path("status").asInt()).isEqualTo(200);
                assertThat(status(reply, address)).isEqualTo("found");
            }
        }
    }

    @Test
    void buildWhoseFileHasNothingHasNoDebugInformationAtAnyAddress() throws Exception {
        Path nothing = folder.resolve(id + "-nothing");
        RequiredTool.require("objcopy").output("--strip-all", "--remove-section=.dynsym", library, nothing);
        putIntoFolder(id, nothing);
        HttpResponse<String> response = server.get("/v1/symbolize/" + id + "?addresses=0x10", "Prefer", "wait=30");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(422);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("no_debuginfo");
        JsonNode reply = batch(server, id, "0x10");
        assertThat(reply.path("status").asInt()).isEqualTo(422);
        assertThat(status(reply, "0x10")).isEqualTo("no_debuginfo");
    }

    @Test
    void storedBuildWithTypesOnlyHasNoDebugInformationAtAnyAddress() throws Exception {
        Files.createDirectories(placeInFolder(id).getParent());
        Files.write(placeInFolder(id), SmallBuild.debugFile(id));
        JsonNode answer = symbolize(server, id, "0x10");
        assertThat(answer.path("problem").path("code").asString()).isEqualTo("no_debuginfo");
        assertThat(answer.path("addresses").path("0x10").path("status").asString())
                .isEqualTo("no_debuginfo");
        JsonNode reply = batch(server, id, "0x10");
        assertThat(reply.path("status").asInt()).isEqualTo(200);
        assertThat(status(reply, "0x10")).isEqualTo("no_debuginfo");
    }

    @Test
    void upstreamThatFailsFailsEachAddressOfUnknownAndOfStoredBuilds() throws Exception {
        TestDatabase own = TestDatabase.create();
        MockResponse[] failures =
                Collections.nCopies(20, CountingUpstream.status(500)).toArray(MockResponse[]::new);
        try (CountingUpstream upstream = new CountingUpstream()) {
            upstream.put(id, Files.readAllBytes(library));
            upstream.answerFirst(id, failures);
            String address;
            try (TestServer first = behind(upstream, own, "failing")) {
                HttpResponse<String> response =
                        first.get("/v1/symbolize/" + id + "?addresses=0x10", "Prefer", "wait=30");
                assertThat(response.statusCode()).as(response.body()).isEqualTo(502);
                JsonNode reply = batch(first, id, "0x10", "Prefer", "wait=30");
                assertThat(reply.path("status").asInt()).isEqualTo(502);
                assertThat(status(reply, "0x10")).isEqualTo("failed");
                upstream.answerFirst(id);
                address = addresses(first, id).getFirst();
            }
            upstream.answerFirst(id, failures);
            try (TestServer second = behind(upstream, own, "failing-again")) {
                JsonNode answer = symbolize(second, id, address);
                assertThat(answer.path("problem").path("code").asString()).isEqualTo("failed");
                JsonNode at = answer.path("addresses").path(address);
                assertThat(at.path("status").asString()).isEqualTo("failed");
                assertThat(at.path("symbol").path("name").asString()).isEqualTo("outer");
                assertThat(status(batch(second, id, address, "Prefer", "wait=30"), address))
                        .isEqualTo("failed");
            }
        }
    }

    @Test
    void uploadWithoutBuildIdIsFoundByItsAliasKeys() throws Exception {
        Path file = folder.resolve(id + "-keys");
        RequiredTool.require("objcopy").output("--remove-section=.note.gnu.build-id", library, file);
        List<BuildId> keys = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::keys)
                .all();
        assertThat(keys).hasSize(2).noneMatch(BuildId::isGnu);
        BuildId stored = keys.getLast();
        assertThat(ci.put(server, stored, Files.readAllBytes(file)).statusCode())
                .isEqualTo(201);
        String address = inlined(stored, addresses(server, stored));
        for (BuildId key : keys) {
            JsonNode answer = symbolize(server, key, address);
            assertThat(answer.path("buildId").asString()).isEqualTo(stored.toString());
            assertThat(answer.path("addresses").path(address).path("status").asString())
                    .isEqualTo("found");
            JsonNode reply = batch(server, key, address);
            assertThat(reply.path("answer").path("buildId").asString()).isEqualTo(stored.toString());
            assertThat(status(reply, address)).isEqualTo("found");
        }
    }

    /** The dictionary has the tables of OTLP's {@code ProfilesDictionary}, whose first entries stand for none. */
    @Test
    void profilesOfACollectorGetFunctionsAndLines() throws Exception {
        String buildId = "0718%04x".formatted(BUILDS.incrementAndGet()) + "cc".repeat(16);
        id = BuildId.parse(buildId);
        putIntoFolder(id, compile(buildId, "-shared", "-fPIC"));
        String address = inlined(addresses(server, id));
        RequiredTool.require("python3");
        Path profiles = Files.writeString(
                folder.resolve("profiles.json"), """
                {"resourceProfiles": [], "dictionary": {"mappingTable": [{}, {"attributeIndices": [1]}], \
                "attributeTable": [{}, {"keyStrindex": 1, "value": {"stringValue": "%s"}}], \
                "stringTable": ["", "process.executable.build_id.gnu", "main.py"], "functionTable": [{}], \
                "locationTable": [{}, {"mappingIndex": 1, "address": "%d"}, {"address": "7"}, \
                {"mappingIndex": 1, "address": "%d", "lines": [{"line": "5"}]}]}}
                """.formatted(buildId, Long.decode(address), Long.decode(address)));
        JsonNode dictionary = JsonMapper.shared()
                .readTree(RequiredTool.require("sh")
                        .output(
                                "-c",
                                "../examples/collector/otlp-frames.py '" + server.url() + "' < '" + profiles + "'"))
                .path("dictionary");

        List<String> frames = new ArrayList<>();
        for (JsonNode line : dictionary.path("locationTable").path(1).path("lines")) {
            JsonNode function = dictionary
                    .path("functionTable")
                    .path(line.path("functionIndex").asInt());
            frames.add(dictionary
                            .path("stringTable")
                            .path(function.path("nameStrindex").asInt())
                            .asString()
                    + ":" + line.path("line").asString());
        }
        assertThat(frames).containsExactly("inner:3", "outer:6");
        assertThat(dictionary.path("locationTable").path(2).has("lines"))
                .as("no build")
                .isFalse();
        assertThat(dictionary.path("locationTable").path(3).path("lines").toString())
                .as("an interpreter's line")
                .isEqualTo("[{\"line\":\"5\"}]");
    }

    /** Returns the debug id of a little-endian build, as samply and the Firefox Profiler make it. */
    private static String debugId(String buildId) {
        String hex = (buildId + "0".repeat(32)).substring(0, 32);
        StringBuilder swapped = new StringBuilder();
        for (int byteNumber : new int[] {3, 2, 1, 0, 5, 4, 7, 6}) {
            swapped.append(hex, 2 * byteNumber, 2 * byteNumber + 2);
        }
        return swapped.append(hex.substring(16)).append('0').toString().toUpperCase(java.util.Locale.ROOT);
    }

    /**
     * Sends a request with the fields that the Firefox Profiler sends (src/profile-logic/mozilla-symbolication-api.ts): {@code jobs},
     * each with {@code memoryMap}, of pairs of {@code debugName} and {@code breakpadId}, and {@code stacks}, of pairs of an index and
     * an offset. The index -1, of code outside of modules, is that of Mozilla's server (eliot/symbolicate_resource.py). The profiler
     * sends no Content-Type, which makes the body text (src/actions/receive-profile.ts).
     */
    private static JsonNode symbolicate(String debugId, long offset) {
        HttpResponse<String> response = server.post(
                "/symbolicate/v5",
                "{\"jobs\": [{\"memoryMap\": [[\"library\", \"" + debugId
                        + "\"], [\"other\", \"0\"]], \"stacks\": [[[0, " + offset + "], [-1, 7]]]}]}",
                "Content-Type",
                "text/plain;charset=UTF-8",
                "Origin",
                "https://profiler.firefox.com");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.headers().firstValue("Access-Control-Allow-Origin"))
                .hasValue("https://profiler.firefox.com");
        return Json.of(response).path("results").path(0);
    }

    /** Kernels of x86 have a later segment, for their data per processor, at 0. */
    @Test
    void offsetsOfSymbolicationCountFromTheFirstSegmentEvenIfAnotherIsLower() throws Exception {
        String buildId = "2122334455667788%04x".formatted(BUILDS.incrementAndGet()) + "aa".repeat(10);
        Path program = compile(buildId, "-static", "-no-pie", "-Wl,-e,outer");
        addSegmentAtZero(program);
        id = BuildId.parse(buildId);
        putIntoFolder(id, program);
        long address = Long.decode(inlined(addresses(server, id)));
        JsonNode frame = symbolicate(debugId(buildId), address - 0x400000)
                .path("stacks")
                .path(0)
                .path(0);
        assertThat(frame.path("function").asString()).isEqualTo("outer");
    }

    /** Makes a segment of memory at 0 of the program header PT_GNU_STACK, which follows the segments that are loaded. */
    private static void addSegmentAtZero(Path program) throws IOException {
        ByteBuffer elf = ByteBuffer.wrap(Files.readAllBytes(program)).order(ByteOrder.LITTLE_ENDIAN);
        int entry = (int) elf.getLong(32);
        while (elf.getInt(entry) != 0x6474e551) {
            entry += 56;
        }
        elf.putInt(entry, 1);
        elf.putLong(entry + 40, 0x1000);
        Files.write(program, elf.array());
    }

    /**
     * The Firefox Profiler reads the fields of its {@code APIFrameInfoV5Schema}, with {@code function_size} in hex
     * (src/profile-logic/mozilla-symbolication-api.ts), and samply writes them (samply-api/src/symbolicate/response_json.rs).
     */
    @Test
    void offsetsOfSymbolicationCountFromTheImageBase() throws Exception {
        String buildId = "1122334455667788%04x".formatted(BUILDS.incrementAndGet()) + "aa".repeat(10);
        Path program = compile(buildId, "-static", "-no-pie", "-Wl,-e,outer");
        id = BuildId.parse(buildId);
        putIntoFolder(id, program);
        long address = Long.decode(inlined(addresses(server, id)));
        // The lowest segment of a static program that is not position-independent.
        long base = 0x400000;
        assertThat(address).isGreaterThan(base);
        JsonNode result = symbolicate(debugId(buildId), address - base);
        assertThat(result.path("found_modules")
                        .path("library/" + debugId(buildId))
                        .asBoolean())
                .isTrue();
        assertThat(result.path("found_modules").path("other/0").isNull()).isTrue();
        JsonNode frame = result.path("stacks").path(0).path(0);
        assertThat(frame.path("frame").asInt()).isZero();
        assertThat(frame.path("module").asString()).isEqualTo("library");
        assertThat(frame.path("module_offset").asString()).isEqualTo("0x" + Long.toHexString(address - base));
        assertThat(frame.path("function").asString()).isEqualTo("outer");
        assertThat(frame.has("function_offset")).isTrue();
        assertThat(Long.decode(frame.path("function_size").asString()))
                .isEqualTo(addresses(server, id).size());
        assertThat(frame.path("line").asInt()).isEqualTo(6);
        assertThat(frame.path("inlines").path(0).path("function").asString()).isEqualTo("inner");
        assertThat(frame.path("inlines").path(0).path("line").asInt()).isEqualTo(3);
        assertThat(result.path("stacks").path(0).path(1).path("module").asString())
                .isEqualTo("<unknown>");
    }

    @Test
    void firstSymbolicationDoesNotWaitForTheWholeTable() throws Exception {
        String buildId = "3132334455667788%04x".formatted(BUILDS.incrementAndGet()) + "aa".repeat(10);
        Path program = compile(buildId, "-static", "-no-pie", "-Wl,-e,outer");
        id = BuildId.parse(buildId);
        putIntoFolder(id, program);
        long address = Long.decode(addresses(server, id).getFirst());
        JsonNode first = beforeTheTable(() -> symbolicate(debugId(buildId), address - 0x400000));
        assertThat(first.path("stacks").path(0).path(0).path("line").asInt()).isPositive();
        while (tables(id) == 0) {
            Thread.sleep(10);
        }
        assertThat(symbolicate(debugId(buildId), address - 0x400000)).isEqualTo(first);
    }

    @Test
    void symbolicationOfCodeWithoutAFunctionHasItsFileAndLine() throws Exception {
        Path source = Files.writeString(folder.resolve("nameless.s"), ".section .nameless, \"ax\"\nnop\nnop\n");
        String buildId = "3122334455667788%04x".formatted(BUILDS.incrementAndGet()) + "aa".repeat(10);
        Path program = compile(buildId, "-shared", "-fPIC", source.toString());
        id = BuildId.parse(buildId);
        putIntoFolder(id, program);
        Matcher address = Pattern.compile(" [.]nameless +PROGBITS +([0-9a-f]+) ")
                .matcher(RequiredTool.require("readelf").output("-SW", program));
        assertThat(address.find()).isTrue();
        addresses(server, id);
        JsonNode frame = symbolicate(debugId(buildId), Long.parseLong(address.group(1), 16) + 1)
                .path("stacks")
                .path(0)
                .path(0);
        assertThat(frame.path("file").asString()).endsWith("nameless.s");
        assertThat(frame.path("line").asInt()).isEqualTo(3);
        assertThat(frame.has("function")).isFalse();
        assertThat(frame.has("function_offset")).isFalse();
    }

    /**
     * The Firefox Profiler shows no function without {@code function_offset}, and takes code with equal
     * {@code address - function_offset} for one function (src/profile-logic/mozilla-symbolication-api.ts).
     */
    @Test
    void functionWithoutSymbolHasItsOffsetInSymbolication() throws Exception {
        String buildId = "4122334455667788%04x".formatted(BUILDS.incrementAndGet()) + "aa".repeat(10);
        Path named = compile(buildId, "-shared", "-fPIC", "-fvisibility=hidden");
        Matcher outer = Pattern.compile("([0-9a-f]+) . outer")
                .matcher(RequiredTool.require("nm").output(named));
        assertThat(outer.find()).isTrue();
        long start = Long.parseLong(outer.group(1), 16);
        id = BuildId.parse(buildId);
        Path nameless = folder.resolve(buildId + "-nameless");
        RequiredTool.require("objcopy").output("--strip-symbol=outer", named, nameless);
        putIntoFolder(id, nameless);
        assertThat(symbolize("0x" + Long.toHexString(start + 1)).has("symbol")).isFalse();
        for (long offset : new long[] {0, 1, 4}) {
            JsonNode frame = symbolicate(debugId(buildId), start + offset)
                    .path("stacks")
                    .path(0)
                    .path(0);
            assertThat(frame.path("function").asString()).isEqualTo("outer");
            assertThat(frame.path("function_offset").asString()).isEqualTo("0x" + offset);
            assertThat(frame.has("function_size")).isFalse();
        }
    }

    /** Stores a library as the build of this test, and returns the first of its addresses. */
    private long addressInLibrary(String buildId) throws Exception {
        id = BuildId.parse(buildId);
        putIntoFolder(id, compile(buildId, "-shared", "-fPIC"));
        return Long.decode(addresses(server, id).getFirst());
    }

    @Test
    void debugIdOfTwoBuildsFindsNeither() throws Exception {
        String prefix = "99887766554433221100aabbccdd%04x".formatted(BUILDS.incrementAndGet());
        for (String last : List.of("00000001", "00000002")) {
            long address = addressInLibrary(prefix + last);
            JsonNode result = symbolicate(debugId(prefix + last), address);
            assertThat(result.path("found_modules")
                            .path("library/" + debugId(prefix + last))
                            .asBoolean())
                    .isEqualTo(last.equals("00000001"));
        }
    }

    @Test
    void shortBuildIdsArePaddedInDebugIds() throws Exception {
        String buildId = "a1b2c3d4e5f6%04x".formatted(BUILDS.incrementAndGet());
        long address = addressInLibrary(buildId);
        assertThat(symbolicate(debugId(buildId), address)
                        .path("stacks")
                        .path(0)
                        .path(0)
                        .path("function")
                        .asString())
                .isEqualTo("outer");
    }

    @Test
    void debugIdOfABigEndianBuildHasTheBytesOfItsBuildId() throws Exception {
        String buildId = "d1b2c3d4e5f61122%04x".formatted(BUILDS.incrementAndGet()) + "aa".repeat(10);
        id = BuildId.parse(buildId);
        putIntoFolder(id, compile("s390x-linux-gnu-gcc", buildId, List.of("-shared", "-fPIC")));
        long address = Long.decode(addresses(server, id).getFirst());
        String unswapped = buildId.substring(0, 32) + "0";
        JsonNode result = symbolicate(unswapped, address);
        assertThat(result.at("/stacks/0/0/function").asString()).isEqualTo("outer");
        String swapped = debugId(buildId);
        assertThat(symbolicate(swapped, address)
                        .path("found_modules")
                        .path("library/" + swapped)
                        .asBoolean(true))
                .isFalse();
    }

    /**
     * samply makes the debug id of an ELF file by {@code DebugId::from_uuid} (samply-debugid/src/debugid.rs), whose age is 0, and
     * requires the age of a request to be equal. Ages of 1 and more are those of PDB files.
     */
    @Test
    void debugIdOfAnotherAgeIsNotThatOfAnElfFile() throws Exception {
        String buildId = "b1b2c3d4e5f6%04x".formatted(BUILDS.incrementAndGet());
        long address = addressInLibrary(buildId);
        String guid = debugId(buildId).substring(0, 32);
        for (String age : List.of("0", "1", "a", "00000001")) {
            assertThat(symbolicate(guid + age, address)
                            .path("found_modules")
                            .path("library/" + guid + age)
                            .asBoolean(age.equals("0")))
                    .as(age)
                    .isEqualTo(age.equals("0"));
        }
    }

    /**
     * Mozilla's server (eliot/symbolicate_resource.py) and samply (samply-api/src/symbolicate/request_json.rs) refuse the request.
     * The Firefox Profiler sends libraries of several profiles in one request (src/profile-logic/symbol-store.ts), so that all would
     * remain without names, and reads the key of each with its template {@code ${debugName}/${breakpadId}}.
     */
    @Test
    void moduleWithoutDebugIdIsNotFoundAndTheOthersAreAnswered() throws Exception {
        String buildId = "c1b2c3d4e5f6%04x".formatted(BUILDS.incrementAndGet());
        long address = addressInLibrary(buildId);
        HttpResponse<String> response =
                server.post("/symbolicate/v5", """
                        {"jobs": [{"memoryMap": [["[vdso]", null]], "stacks": [[[0, 1]]]},
                                  {"memoryMap": [["library", "%s"]], "stacks": [[[0, %d]]]}]}
                        """.formatted(debugId(buildId), address), "Content-Type", "text/plain");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonNode results = Json.of(response).path("results");
        assertThat(results.path(0).path("found_modules").toString()).isEqualTo("{\"[vdso]/null\":false}");
        assertThat(results.path(0).path("stacks").path(0).path(0).path("module").asString())
                .isEqualTo("[vdso]");
        assertThat(results.path(1)
                        .path("stacks")
                        .path(0)
                        .path(0)
                        .path("function")
                        .asString())
                .isEqualTo("outer");
    }

    /** The name of a module stands in the answer once for each call. */
    @Test
    @ChecklistRow(39)
    void answerThatRepeatsLongNamesIsTooLarge() {
        String calls = String.join(",", Collections.nCopies(2_000, "[0,1]"));
        HttpResponse<String> response = server.post(
                "/symbolicate/v5",
                "{\"memoryMap\": [[\"" + "a".repeat(100_000) + "\", \"0\"]], \"stacks\": [[" + calls + "]]}",
                "Content-Type",
                "text/plain");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(413);
        assertThat(response.body()).contains("answer_too_large");
    }

    @Test
    void malformedJobsAreBadRequests() {
        for (String body : List.of(
                "[]",
                "{\"jobs\": 1}",
                "{\"jobs\": [{}]}",
                "{\"memoryMap\": [[\"a\"]], \"stacks\": []}",
                "{\"memoryMap\": [], \"stacks\": [[[0, 1]]]}",
                "{\"memoryMap\": [[\"a\", \"b\"]], \"stacks\": [[[0, 1.5]]]}",
                "{\"memoryMap\": [[\"a\", \"b\"]], \"stacks\": [[[0, 99999999999999999999]]]}")) {
            assertThat(server.post("/symbolicate/v5", body, "Content-Type", "text/plain")
                            .statusCode())
                    .as(body)
                    .isEqualTo(400);
        }
    }
}
