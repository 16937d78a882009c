package dev.offsetd.server.answers.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Builds that answer 422 because they have no usable debug information. Their symbols are served nevertheless. */
@Timeout(120)
class SymbolsOfUnusableBuildsIntegrationTests {

    private static final AtomicInteger BUILDS = new AtomicInteger();

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer server;
    private static Publisher ci;

    private BuildId id;

    /** With DWARF. */
    private Path whole;

    /** Without DWARF, but with {@code .symtab}. */
    private Path withoutDebugInfo;

    /** With {@code .dynsym} only. */
    private Path stripped;

    /** With symbols, and with DWARF of a version that does not exist. */
    private Path malformed;

    @BeforeAll
    static void start() throws IOException {
        Files.writeString(folder.resolve("library.c"), """
                struct point { int x, y; };
                struct point origin;
                static int hidden(int a) { return a + origin.x; }
                int shown(int a) { return hidden(a); }
                """);
        Files.write(folder.resolve("garbage"), new byte[] {20, 0, 0, 0, 99, 0, 1, 8, 0, 0, 0, 0});
        Files.createDirectories(folder.resolve("debug"));
        database = TestDatabase.create();
        server = server("data", "offsetd.offline=true");
        ci = Publisher.of(server, "ci");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static TestServer server(String data, String property) {
        return TestServer.start(
                folder.resolve(data),
                database,
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.extraction.retry.failed=1ms",
                property);
    }

    /** Compiles the files of a new build for each test. */
    @BeforeEach
    void compile() throws IOException {
        id = BuildId.parse("%040x".formatted(BUILDS.incrementAndGet()));
        whole = file("whole");
        RequiredTool.require("gcc")
                .output(
                        "-gdwarf-5",
                        "-O0",
                        "-fPIC",
                        "-shared",
                        "-nostdlib",
                        "-Wl,--build-id=0x" + id,
                        folder.resolve("library.c"),
                        "-o",
                        whole);
        RequiredTool objcopy = RequiredTool.require("objcopy");
        withoutDebugInfo = file("without");
        objcopy.output("--strip-debug", whole, withoutDebugInfo);
        stripped = file("stripped");
        objcopy.output("--strip-all", whole, stripped);
        malformed = file("malformed");
        objcopy.output("--update-section", ".debug_info=" + folder.resolve("garbage"), whole, malformed);
    }

    private Path file(String kind) {
        return folder.resolve(id + "-" + kind);
    }

    private Path placeInFolder() {
        String hex = id.toString();
        return folder.resolve("debug/.build-id").resolve(hex.substring(0, 2)).resolve(hex.substring(2) + ".debug");
    }

    private void putIntoFolder(Path file) throws IOException {
        Files.createDirectories(placeInFolder().getParent());
        Files.copy(file, placeInFolder(), StandardCopyOption.REPLACE_EXISTING);
    }

    private JsonNode symbols(String names) {
        HttpResponse<String> response = server.get("/v1/symbols/" + id + "?names=" + names, "Prefer", "wait=30");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response);
    }

    private static String status(JsonNode answer, String name) {
        return answer.path("names").path(name).path("status").asString();
    }

    private void assertUnusable(String code) {
        HttpResponse<String> offsets = server.offsets(id, "point", "Prefer", "wait=30");
        assertThat(offsets.statusCode()).as(offsets.body()).isEqualTo(422);
        assertThat(Json.of(offsets).path("code").asString()).isEqualTo(code);
        assertThat(server.get("/v1/resolve/" + id + "?expr=origin").statusCode())
                .isEqualTo(422);
    }

    private JsonNode build() {
        return Json.of(server.get("/v1/builds/" + id));
    }

    @Test
    void fileOfASourceThatHasNoDebugInformationAnswersItsSymbols() throws Exception {
        putIntoFolder(withoutDebugInfo);
        JsonNode answer = symbols("shown,hidden,nobody");
        assertThat(status(answer, "shown")).isEqualTo("found");
        assertThat(status(answer, "hidden")).isEqualTo("found");
        assertThat(status(answer, "nobody")).isEqualTo("not_found");
        JsonNode provenance = answer.path("provenance").path("p1");
        assertThat(provenance.path("origin").asString()).isEqualTo("local");
        assertThat(provenance.path("sha256").asString()).isEqualTo(sha256(withoutDebugInfo));
        assertUnusable("no_debuginfo");
        assertThat(build().path("symbolsProvenance").path("sha256").asString()).isEqualTo(sha256(withoutDebugInfo));
        HttpResponse<String> again = server.get("/v1/symbols/" + id + "?names=shown");
        assertThat(again.headers().firstValue("Cache-Control")).hasValue("public, max-age=10");
    }

    @Test
    void fileOfAnUpstreamStatesTheBytesOfItsDownload() throws Exception {
        try (CountingUpstream upstream = new CountingUpstream();
                TestServer online = server("online", "offsetd.upstreams.urls=" + upstream.url("up"))) {
            upstream.put(id, Files.readAllBytes(withoutDebugInfo));
            assertThat(online.get("/v1/symbols/" + id + "?names=shown", "Prefer", "wait=30")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(Json.of(online.get("/v1/builds/" + id))
                            .path("symbolsProvenance")
                            .path("fetchedBytes")
                            .asLong())
                    .isEqualTo(Files.size(withoutDebugInfo));
        }
    }

    @Test
    void laterGoodFileTakesTheirPlace() throws Exception {
        putIntoFolder(malformed);
        assertThat(status(symbols("hidden"), "hidden")).isEqualTo("found");
        assertUnusable("malformed");
        putIntoFolder(whole);
        assertThat(ci.retry(server, id).statusCode()).isEqualTo(202);
        assertThat(server.offsets(id, "point", "Prefer", "wait=30").statusCode())
                .isEqualTo(200);
        assertThat(symbols("hidden")
                        .path("provenance")
                        .path("p1")
                        .path("sha256")
                        .asString())
                .isEqualTo(sha256(whole));
        assertThat(build().has("symbolsProvenance")).isFalse();
    }

    @Test
    void fileThatIsGoneAnswersNoLonger() throws Exception {
        putIntoFolder(stripped);
        JsonNode answer = symbols("shown,hidden");
        assertThat(status(answer, "shown")).isEqualTo("found");
        assertThat(status(answer, "hidden")).isEqualTo("not_found");
        Files.delete(placeInFolder());
        assertThat(ci.retry(server, id).statusCode()).isEqualTo(202);
        assertThat(server.get("/v1/symbols/" + id + "?names=shown", "Prefer", "wait=30")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void failureOfAnotherSourceIsAFailureForSymbolsToo() throws Exception {
        putIntoFolder(withoutDebugInfo);
        try (FaultServer upstream = FaultServer.serving(new byte[0], new byte[0])) {
            try (TestServer other = server("other", "offsetd.upstreams.urls=" + upstream.url("500"))) {
                assertThat(other.get("/v1/symbols/" + id + "?names=shown", "Prefer", "wait=30")
                                .statusCode())
                        .isEqualTo(502);
            }
            assertThat(status(symbols("shown"), "shown"))
                    .as("of a server without that source")
                    .isEqualTo("found");
        }
    }

    @Test
    void uploadThatIsRefusedLeavesItsSymbols() throws Exception {
        assertThat(server.get("/v1/symbols/" + id + "?names=shown").statusCode())
                .isEqualTo(404);
        HttpResponse<String> refused = ci.put(server, id, Files.readAllBytes(stripped));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(Json.of(refused).path("code").asString()).isEqualTo("no_debuginfo");
        assertThat(Json.of(refused).path("symbolsKept").asBoolean()).isTrue();
        JsonNode answer = symbols("shown,hidden");
        assertThat(status(answer, "shown")).isEqualTo("found");
        assertThat(answer.path("provenance")
                        .path("p1")
                        .path("token")
                        .path("label")
                        .asString())
                .isEqualTo("ci");
        assertUnusable("no_debuginfo");
        assertThat(build().path("checked")
                        .valueStream()
                        .map(source -> source.path("origin").asString()))
                .contains("upload");

        assertThat(precheck(stripped)).isEqualTo("same_file");
        Publisher other = Publisher.of(server, "other");
        HttpResponse<String> ofAnother = other.put(server, id, Files.readAllBytes(withoutDebugInfo));
        assertThat(ofAnother.statusCode()).isEqualTo(422);
        assertThat(Json.of(ofAnother).has("symbolsKept")).isFalse();
        assertThat(status(symbols("hidden"), "hidden")).isEqualTo("not_found");
        HttpResponse<String> richer = ci.put(server, id, Files.readAllBytes(malformed));
        assertThat(Json.of(richer).path("symbolsKept").asBoolean())
                .as(richer.body())
                .isTrue();
        assertThat(status(symbols("hidden"), "hidden")).isEqualTo("found");
        assertUnusable("malformed");
        assertThat(precheck(malformed)).as("it is refused again").isEqualTo("source_file_unusable");

        // A retry asks the sources again, and an upload has no source to ask.
        assertThat(ci.retry(server, id).statusCode()).isEqualTo(202);
        assertThat(status(symbols("hidden"), "hidden")).isEqualTo("found");
        assertThat(ci.put(server, id, Files.readAllBytes(whole)).statusCode()).isEqualTo(201);
        assertThat(server.offsets(id, "point").statusCode()).isEqualTo(200);
        assertThat(symbols("hidden")
                        .path("provenance")
                        .path("p1")
                        .path("sha256")
                        .asString())
                .isEqualTo(sha256(whole));
        assertThat(build().path("checked")
                        .valueStream()
                        .map(source -> source.path("origin").asString()))
                .doesNotContain("upload");
    }

    @Test
    void sourcesAreQueriedBeforeTheSymbolsOfAnUploadAnswer() throws Exception {
        putIntoFolder(whole);
        assertThat(ci.put(server, id, Files.readAllBytes(stripped)).statusCode())
                .isEqualTo(422);
        assertThat(symbols("hidden")
                        .path("provenance")
                        .path("p1")
                        .path("origin")
                        .asString())
                .isEqualTo("local");
        assertThat(server.offsets(id, "point").statusCode()).isEqualTo(200);
    }

    @Test
    void storedSymbolsThatCannotBeReadAreReadAnew() throws Exception {
        putIntoFolder(withoutDebugInfo);
        symbols("shown");
        database.jdbc()
                .sql("update symbol_tables set blob = '\\x00' where build_id = :id")
                .param("id", id.toBytes())
                .update();
        database.jdbc()
                .sql("update builds set generation = generation + 1000000 where build_id = :id")
                .param("id", id.toBytes())
                .update();
        assertThat(status(symbols("shown"), "shown")).isEqualTo("found");
    }

    private static String sha256(Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    private String precheck(Path file) throws Exception {
        return Json.of(ci.precheck(server, id, "?sha256=" + sha256(file)))
                .path("reason")
                .asString();
    }
}
