package dev.offsetd.server.prewarms.enrichment;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.packages.repositories.PackageFile;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.watches.FoundFiles;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Changes in a new build of a watched runtime are an event, and nothing else is. */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class DriftIntegrationTests {

    private static final AtomicInteger TESTS = new AtomicInteger();

    @TempDir
    private static Path debug;

    @TempDir
    private static Path commonData;

    private static TestServer commonServer;

    @TempDir
    private Path folder;

    private final int number = TESTS.incrementAndGet();
    private final String first = buildId("a1");
    private final String second = buildId("a2");
    private final String third = buildId("a3");
    private final String fourth = buildId("a4");
    private TestServer server;

    /** Returns a build-id that no other test has. */
    private String buildId(String prefix) {
        return prefix.repeat(16) + "%08x".formatted(number);
    }

    @BeforeAll
    static void startCommonServer() {
        commonServer = server(commonData, "ruby", "offsetd.offline=true");
    }

    @AfterAll
    static void stopCommonServer() {
        commonServer.close();
    }

    private static TestServer server(Path data, String sets, String upstreams) {
        return TestServer.start(
                data,
                TestDatabase.create(),
                upstreams,
                "offsetd.events.sets=" + sets,
                "offsetd.local-folders=" + debug);
    }

    @BeforeEach
    void clear() {
        server = commonServer;
        server.bean(JdbcClient.class)
                .sql("delete from builds; delete from events")
                .update();
        server.forgetAnswers();
    }

    /** Starts another server for this test. */
    private void useServer(String sets, String upstreams) {
        server = server(folder.resolve("data"), sets, upstreams);
    }

    @AfterEach
    void stop() {
        if (server != commonServer) {
            server.close();
        }
    }

    private static UnaryOperator<String> version(String version) {
        return source -> source.replace("ruby 3.4.1", "ruby " + version);
    }

    private static UnaryOperator<String> movedFrame(String version) {
        return source -> version(version)
                .apply(source)
                .replace(
                        "struct rb_control_frame_struct { const VALUE *pc;",
                        "struct rb_control_frame_struct { long added; const VALUE *pc;");
    }

    /** Stores a build and compares it. */
    private void store(String id, UnaryOperator<String> change) throws IOException {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("made-" + id.substring(0, 4)), id, change);
        ruby.putInto(debug);
        Files.copy(
                ruby.stripped(),
                debug.resolve(".build-id").resolve(id.substring(0, 2)).resolve(id.substring(2)));
        assertThat(server.offsets(id, "@ruby").statusCode()).isEqualTo(200);
        server.bean(IdentityWork.class).workOnAll();
    }

    private List<JsonNode> events(String kind) {
        HttpResponse<String> answer = server.get("/v1/events" + (kind.isEmpty() ? "" : "?kind=" + kind));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.of(answer).path("events").valueStream().toList();
    }

    private List<String> kinds() {
        return events("").stream().map(event -> event.path("kind").asString()).toList();
    }

    @Test
    void movedMemberIsNamedByItemAndByTheNameMapsThatSeeIt() throws Exception {
        store(first, version("3.4.1"));
        assertThat(kinds()).as("the first build is compared with nothing").containsExactly("build_stored");
        store(second, movedFrame("3.4.5"));
        assertThat(kinds()).containsExactly("build_stored", "build_stored", "drift");
        JsonNode drift = events("drift").getFirst();
        assertThat(drift.path("buildId").asString()).isEqualTo(second);
        assertThat(drift.path("sets").valueStream().map(JsonNode::asString)).containsExactly("ruby");
        JsonNode detail = drift.path("detail");
        assertThat(detail.path("from").path("buildId").asString()).isEqualTo(first);
        assertThat(detail.has("newSeries")).isFalse();
        // The types are those of GET /v1/diff.
        JsonNode diff = Json.of(server.get("/v1/diff?from=" + first + "&to=" + second + "&types=@ruby"));
        assertThat(detail.path("types").valueStream())
                .containsExactlyElementsOf(diff.path("types")
                        .valueStream()
                        .filter(type -> List.of("changed", "added", "removed")
                                .contains(type.path("status").asString()))
                        .toList());
        for (String map : List.of("otel-ebpf-profiler", "runtime-data")) {
            JsonNode names = Json.of(server.get("/v1/diff?from=" + first + "&to=" + second + "&types=@ruby&map=" + map))
                    .path("names");
            assertThat(names.size()).as(map).isPositive();
            assertThat(detail.path("names").path(map)).as(map).isEqualTo(names);
        }
        assertThat(drift.path("title").asString())
                .contains("@ruby", "3.4.1", "3.4.5", "otel-ebpf-profiler: control_frame_struct.pc: 0 -> 8");
    }

    /** Stores a debug file of a package of which its names do not tell which file it is, and compares it. */
    private void storeOfPackage(String id, String version, UnaryOperator<String> change) throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("made-" + id.substring(0, 4)), id, change);
        server.bean(FoundFiles.class)
                .store(
                        new PackageFile(
                                "libruby3.4-dbgsym_" + version + "-1_amd64.deb!./usr/lib/debug/.build-id/"
                                        + id.substring(0, 2) + "/" + id.substring(2) + ".debug",
                                ruby.debugFile(),
                                DebugInfo.read(ruby.debugFile(), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts),
                                null),
                        "test");
        server.bean(IdentityWork.class).workOnAll();
    }

    @Test
    void debugFileOfAPackageIsComparedWithTheOneOfTheEarlierPackage() throws Exception {
        storeOfPackage(first, "3.4.1", version("3.4.1"));
        storeOfPackage(second, "3.4.2", movedFrame("3.4.2"));
        assertThat(kinds()).containsExactly("build_stored", "build_stored", "drift");
        JsonNode drift = events("drift").getFirst();
        assertThat(drift.path("detail").path("from").path("buildId").asString()).isEqualTo(first);
        assertThat(drift.path("title").asString()).contains("libruby3.4 3.4.1 -> libruby3.4 3.4.2");
    }

    /** The names in the executable may come in hours; those of the package suffice. */
    @Test
    void upstreamThatIsAwayDoesNotDelayAComparison() throws Exception {
        useServer("ruby", "offsetd.upstreams.urls=http://127.0.0.1:1/");
        storeOfPackage(first, "3.4.1", version("3.4.1"));
        storeOfPackage(second, "3.4.2", movedFrame("3.4.2"));
        assertThat(kinds()).containsExactly("build_stored", "build_stored", "drift");
    }

    @Test
    void debugFileIsComparedWithNoneIfTwoOfAPackageHaveTheSet(CapturedOutput output) throws Exception {
        storeOfPackage(first, "3.4.1", version("3.4.1"));
        storeOfPackage(third, "3.4.1", movedFrame("3.4.1"));
        storeOfPackage(second, "3.4.2", version("3.4.2"));
        assertThat(output).contains(second, "@ruby is compared with no build");
        storeOfPackage(fourth, "3.4.2", movedFrame("3.4.2"));
        assertThat(kinds()).containsOnly("build_stored");
    }

    @Test
    void buildThatMovesNothingIsUnchanged() throws Exception {
        store(first, version("3.4.1"));
        store(second, version("3.4.2"));
        assertThat(kinds()).containsExactly("build_stored", "build_stored", "unchanged");
    }

    @Test
    void newSeriesIsStated() throws Exception {
        store(first, version("3.1.9"));
        store(second, version("3.3.1"));
        JsonNode detail = events("unchanged").getFirst().path("detail");
        assertThat(detail.path("newSeries").asString()).isEqualTo("3.3");
        assertThat(detail.has("uncheckedVersion")).isFalse();
    }

    @Test
    void newSeriesThatTheSetWasNotCheckedWithIsDriftAlsoIfNothingMoves() throws Exception {
        store(first, version("3.3.9"));
        store(second, version("3.4.1"));
        JsonNode drift = events("drift").getFirst();
        assertThat(drift.path("title").asString()).endsWith("the set was not checked with this version");
        assertThat(drift.path("detail").path("newSeries").asString()).isEqualTo("3.4");
        assertThat(drift.path("detail").path("uncheckedVersion").asString()).isEqualTo("3.4.1");
    }

    @Test
    void requiredItemThatIsGoneIsReported() throws Exception {
        store(first, version("3.4.1"));
        store(second, source -> version("3.4.2").apply(source).replace("pathobj, base_label", "renamed, base_label"));
        assertThat(kinds()).contains("item_missing");
        assertThat(events("item_missing")
                        .getFirst()
                        .path("detail")
                        .path("missing")
                        .toString())
                .contains("pathobj");
    }

    @Test
    void buildThatContradictsThePeersOfItsVersionBreaksTheirConsensus() throws Exception {
        store(first, version("3.4.1"));
        store(second, version("3.4.2"));
        store(third, movedFrame("3.4.2"));
        JsonNode detail = events("drift").getFirst().path("detail");
        assertThat(detail.path("from").path("buildId").asString()).isEqualTo(first);
        assertThat(detail.path("brokenConsensus").valueStream().map(JsonNode::asString))
                .contains("rb_control_frame_struct.pc")
                .doesNotContain("rb_iseq_struct.body");
    }

    @Test
    void olderBuildIsComparedWithTheOneBeforeItAndNotWithALaterOne() throws Exception {
        store(first, movedFrame("3.4.5"));
        store(second, version("3.4.1"));
        assertThat(kinds()).containsExactly("build_stored", "build_stored");
    }

    @Test
    void storedBuildIsComparedOnceAlsoWhenItIsReadAgain() throws Exception {
        store(first, version("3.4.1"));
        store(second, movedFrame("3.4.5"));
        server.bean(JdbcClient.class)
                .sql("update build_identities set work_due = now(), attempts = 0")
                .update();
        server.bean(IdentityWork.class).workOnAll();
        assertThat(events("drift")).hasSize(1);
    }

    @Test
    void comparisonGivesItsConnectionBack() throws Exception {
        store(first, version("3.4.1"));
        store(second, movedFrame("3.4.5"));
        assertThat(events("drift")).hasSize(1);
        HikariDataSource pool = server.bean(HikariDataSource.class);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        // Periodic work holds one now and then.
        while (pool.getHikariPoolMXBean().getActiveConnections() > 0) {
            assertThat(System.nanoTime()).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    @Test
    void releaseThatChangesTheSizeOfAVariableIsCompared() throws Exception {
        useServer("frames", "offsetd.offline=true");
        // The text has the version, so its size is another one in 3.4.10.
        HttpResponse<String> stored = server.send(
                "PUT",
                "/v1/type-sets/frames",
                BodyPublishers.ofString("""
                {"title": "Frames of Ruby", "items": [{"item": "rb_control_frame_struct.pc"}],
                 "probes": [{"text": "ruby {version} (", "project": "ruby"}],
                 "variants": [{"token": "description", "sizeOf": "ruby_description"}]}
                """),
                Administrator.of(server, "test").authorized());
        assertThat(stored.statusCode()).as(stored.body()).isEqualTo(201);
        store(first, version("3.4.1"));
        store(second, movedFrame("3.4.10"));
        assertThat(kinds()).containsExactly("build_stored", "build_stored", "drift");
        assertThat(events("drift").getFirst().path("detail").has("otherOptions"))
                .isFalse();
    }

    @Test
    void buildWithAnotherOptionIsComparedAtTheStartOfASeriesOnly() throws Exception {
        store(first, version("3.1.9"));
        store(second, source -> withYjit(movedFrame("3.3.1").apply(source)));
        assertThat(kinds()).containsExactly("build_stored", "build_stored", "drift");
        JsonNode options = events("drift").getFirst().path("detail").path("otherOptions");
        assertThat(options.path("from").valueStream().map(JsonNode::asString)).contains("ruby.yjit=no");
        assertThat(options.path("to").valueStream().map(JsonNode::asString)).contains("ruby.yjit=yes");
        // Without the option again: the build before it is 3.1.9, which has the same members.
        store(third, version("3.3.2"));
        assertThat(events("drift")).hasSize(1);
        assertThat(events("unchanged")
                        .getFirst()
                        .path("detail")
                        .path("from")
                        .path("buildId")
                        .asString())
                .isEqualTo(first);
    }

    @Test
    void buildWithAnotherOptionIsNotComparedWithinASeries() throws Exception {
        store(first, version("3.4.1"));
        store(second, source -> withYjit(movedFrame("3.4.2").apply(source)));
        assertThat(kinds()).containsExactly("build_stored", "build_stored");
    }

    private static String withYjit(String source) {
        return source + "const char *usage(void) { return \"--yjit  \"; }\n";
    }

    @Test
    void setsThatAreNotWatchedAreNotCompared() throws Exception {
        useServer("php", "offsetd.offline=true");
        store(first, version("3.4.1"));
        store(second, movedFrame("3.4.5"));
        assertThat(kinds()).containsExactly("build_stored", "build_stored");
    }
}
