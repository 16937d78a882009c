package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.JsonNode;

/** Builds of an earlier extractor answer at once, are marked stale, and are renewed in the background. */
@Timeout(120)
@ChecklistRow(31)
class RenewalsIntegrationTests {

    private static final String OTHER_ID = "ab".repeat(20);
    private static final String THIRD_ID = "cd".repeat(20);

    @TempDir
    private static Path debug;

    /** A database in which the small build is stored, from a folder. */
    private static TestDatabase extracted;

    /** A database in which the small build is stored, from an upload that is kept. */
    private static TestDatabase uploaded;

    @TempDir
    private Path folder;

    private TestDatabase database;

    @BeforeAll
    static void store(@TempDir Path data) throws Exception {
        SmallBuild.putInto(debug, SmallBuild.debugFile());
        extracted = TestDatabase.create();
        try (TestServer server =
                TestServer.start(data.resolve("extracted"), extracted, "offsetd.local-folders=" + debug)) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        }
        uploaded = TestDatabase.create();
        try (TestServer server = TestServer.start(
                data.resolve("uploaded"), uploaded, "offsetd.offline=true", "offsetd.uploads.keep=true")) {
            assertThat(Publisher.of(server, "ci")
                            .put(server, SmallBuild.debugFile())
                            .statusCode())
                    .isEqualTo(201);
        }
    }

    @BeforeEach
    void copyDatabase() {
        database = extracted.copy();
    }

    /**
     * Stores the small build with other versions of its parts.
     *
     * @param later what is added to the versions of this server
     */
    private void storeAs(int later) {
        database.jdbc()
                .sql("update debug_files set extractor_version = :types, symbols_version = :symbols")
                .param("types", PartVersions.TYPES + later)
                .param("symbols", PartVersions.SYMBOLS + later)
                .update();
    }

    private TestServer server(String name, String... properties) {
        return TestServer.start(
                folder.resolve(name),
                database,
                Stream.concat(
                                Stream.of("offsetd.extraction.renewal.poll=100ms", "offsetd.changes.poll=100ms"),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    private int version() {
        return database.jdbc()
                .sql("select min(extractor_version) from debug_files")
                .query(Integer.class)
                .single();
    }

    private static boolean stale(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.of(answer).has("stale");
    }

    @Test
    void oldAnswerIsServedStaleUntilItIsRenewed() throws Exception {
        storeAs(-1);
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = server(
                        "second",
                        "offsetd.upstreams.urls=" + upstream.url(),
                        "offsetd.upstreams.headers-timeout=60s")) {
            HttpResponse<String> old = server.offsets(SmallBuild.ID, "point");
            assertThat(stale(old)).isTrue();
            assertThat(old.headers().firstValue("Cache-Control")).hasValue("public, max-age=10");
            upstream.open();
            while (stale(server.offsets(SmallBuild.ID, "point"))) {
                Thread.sleep(20);
            }
            assertThat(version()).isEqualTo(PartVersions.TYPES);
            assertThat(upstream.hits()).isEqualTo(1);
            assertThat(database.jdbc()
                            .sql("select count(*) from events where kind = 'build_stored'")
                            .query(Integer.class)
                            .single())
                    .as("only a build that is stored for the first time is an event")
                    .isEqualTo(1);
        }
    }

    @Test
    void newVersionOfTheSymbolsLeavesTheTypesAsTheyAre() throws Exception {
        storeAs(0);
        outdateSymbols();
        try (TestServer server = server("second", "offsetd.local-folders=" + debug)) {
            awaitSymbols(server);
            assertThat(stale(server.offsets(SmallBuild.ID, "point"))).isFalse();
            assertTypesStayed();
        }
    }

    @Test
    void newVersionOfTheSymbolsReadsTheKeptUploadForThem() throws Exception {
        database = uploaded.copy();
        outdateSymbols();
        try (TestServer server = server("other", "offsetd.offline=true")) {
            awaitSymbols(server);
            assertTypesStayed();
        }
    }

    @Test
    void anotherFileIsReadAsAWholeAlsoForTheSymbolsAlone() throws Exception {
        storeAs(0);
        outdateSymbols();
        database.jdbc()
                .sql("update debug_files set sha256 = decode(repeat('ab', 32), 'hex')")
                .update();
        try (TestServer server = server("second", "offsetd.local-folders=" + debug)) {
            awaitSymbols(server);
            assertThat(stale(server.offsets(SmallBuild.ID, "point"))).isFalse();
            assertThat(Json.item(server.offsets(SmallBuild.ID, "point"), "point")
                            .path("status")
                            .asString())
                    .isEqualTo("found");
        }
    }

    @Test
    void rowOfAServerThatKnowsOneVersionHasItForEachPart() throws Exception {
        storeAs(-1);
        database.jdbc().sql("update debug_files set symbols_version = null").update();
        try (TestServer server = server("second", "offsetd.local-folders=" + debug)) {
            awaitSymbols(server);
            assertThat(version()).isEqualTo(PartVersions.TYPES);
        }
    }

    /** Marks the symbols as read by an earlier extractor, and spoils them and the types: what is read again answers. */
    private void outdateSymbols() {
        database.jdbc()
                .sql("update debug_files set symbols_version = :version")
                .param("version", PartVersions.SYMBOLS - 1)
                .update();
        database.jdbc().sql("update symbol_tables set blob = '\\x00'").update();
        database.jdbc().sql("update catalogues set blob = blob || '\\x00'").update();
        database.jdbc().sql("update builds set retry_at = null").update();
    }

    private void awaitSymbols(TestServer server) throws InterruptedException {
        HttpResponse<String> answer = server.get("/v1/symbols/" + SmallBuild.ID + "?names=*");
        while (answer.statusCode() != 200 || Json.of(answer).has("stale")) {
            Thread.sleep(20);
            answer = server.get("/v1/symbols/" + SmallBuild.ID + "?names=*");
        }
        assertThat(database.jdbc()
                        .sql("select symbols_version from debug_files")
                        .query(Integer.class)
                        .single())
                .isEqualTo(PartVersions.SYMBOLS);
    }

    private void assertTypesStayed() {
        assertThat(database.jdbc()
                        .sql("select get_byte(blob, length(blob) - 1) from catalogues")
                        .query(Integer.class)
                        .single())
                .as("the marked blob is there")
                .isZero();
    }

    @Test
    void keptUploadIsReadAgainByAnyServer() throws Exception {
        database = uploaded.copy();
        outdate();
        try (TestServer server = server("other", "offsetd.offline=true")) {
            while (stale(server.offsets(SmallBuild.ID, "point"))) {
                Thread.sleep(20);
            }
            assertThat(version()).isEqualTo(PartVersions.TYPES);
            JsonNode provenance =
                    Json.of(server.get("/v1/builds/" + SmallBuild.ID)).path("provenance");
            assertThat(provenance.path("origin").asString()).isEqualTo("upload");
            assertThat(provenance.path("token").path("label").asString()).isEqualTo("ci");
        }
    }

    @Test
    void keptUploadWithAnotherHashIsIgnored() throws Exception {
        database = uploaded.copy();
        database.jdbc()
                .sql("update kept_uploads set content = overlay(content placing '\\x00' from 100)")
                .update();
        outdate();
        try (TestServer server = server("keeping", "offsetd.offline=true", "offsetd.uploads.keep=true")) {
            awaitPutOff(server);
            assertThat(version()).isEqualTo(PartVersions.TYPES - 1);
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void logOfABuildThatAnswersFromItsUploadDoesNotCallItMissing(CapturedOutput output) throws Exception {
        database = uploaded.copy();
        database.jdbc().sql("delete from kept_uploads").update();
        outdate();
        try (TestServer server = server("without-the-file", "offsetd.offline=true")) {
            awaitPutOff(server);
        }
        assertThat(output.getOut())
                .contains("build " + SmallBuild.ID + ": kept the upload; no source has a debug file of this build")
                .doesNotContain(SmallBuild.ID + ": not_found", SmallBuild.ID + ": no_sources");
    }

    /** Marks the stored file as read by an earlier extractor, and its renewal as due. */
    private void outdate() {
        database.jdbc()
                .sql("update debug_files set extractor_version = :version")
                .param("version", PartVersions.TYPES - 1)
                .update();
        database.jdbc().sql("update builds set retry_at = null").update();
    }

    /** Waits until a renewal has failed, and checks that the old answer is served before and after. */
    private void awaitPutOff(TestServer server) throws InterruptedException {
        while (database.jdbc()
                        .sql("select count(*) from builds where retry_at > now() + interval '5 minutes'")
                        .query(Integer.class)
                        .single()
                == 0) {
            assertThat(stale(server.offsets(SmallBuild.ID, "point"))).isTrue();
            Thread.sleep(20);
        }
        assertThat(stale(server.offsets(SmallBuild.ID, "line"))).isTrue();
    }

    @Test
    void buildWithoutAvailableFileKeepsItsTypesAndIsRetriedLater() throws Exception {
        storeAs(-1);
        try (TestServer server = server("second", "offsetd.offline=true", "offsetd.local-folders=" + emptyFolder())) {
            awaitPutOff(server);
            long attempts = attempts();
            assertThat(attempts).as("the first extraction and a renewal").isGreaterThanOrEqualTo(2);
            Thread.sleep(Duration.ofMillis(500));
            assertThat(attempts()).as("no renewal before its time").isEqualTo(attempts);
        }
    }

    private long attempts() {
        return database.jdbc()
                .sql("select attempt from extraction_lease")
                .query(Long.class)
                .single();
    }

    private Path emptyFolder() throws Exception {
        return Files.createDirectories(folder.resolve("empty"));
    }

    @Test
    void buildOfALaterExtractorIsNotRenewed() throws Exception {
        storeAs(1);
        try (TestServer server = server("second", "offsetd.local-folders=" + debug)) {
            assertThat(stale(server.offsets(SmallBuild.ID, "point"))).isFalse();
            Thread.sleep(Duration.ofMillis(500));
            assertThat(version()).isEqualTo(PartVersions.TYPES + 1);
        }
    }

    @Test
    void blobOfALaterExtractorIsNotDiscarded() throws Exception {
        storeAs(1);
        database.jdbc().sql("update catalogues set blob = '\\x00'").update();
        try (TestServer server = server("second", "offsetd.local-folders=" + debug)) {
            HttpResponse<String> answer = server.offsets(SmallBuild.ID, "line");
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(Json.of(answer).path("code").asString()).isEqualTo("later_version");
            assertThat(version()).isEqualTo(PartVersions.TYPES + 1);
        }
    }

    @Test
    void missingSymbolsOfAnEarlierExtractorDoNotDiscardTheTypes() throws Exception {
        storeAs(-1);
        database.jdbc().sql("delete from symbol_tables").update();
        try (TestServer server = server("second", "offsetd.offline=true", "offsetd.local-folders=" + emptyFolder())) {
            HttpResponse<String> answer = server.get("/v1/symbols/" + SmallBuild.ID + "?names=main");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
            assertThat(Json.of(answer).path("code").asString()).isEqualTo("earlier_version");
            assertThat(stale(server.offsets(SmallBuild.ID, "point"))).isTrue();
        }
    }

    @Test
    void concurrentRenewalsAreBounded() throws Exception {
        storeAs(-1);
        for (String id : new String[] {OTHER_ID, THIRD_ID}) {
            for (String table : new String[] {"builds", "debug_files"}) {
                database.jdbc()
                        .sql("create temporary table copied as select * from " + table + " where build_id = :one;"
                                + "update copied set build_id = decode('" + id + "', 'hex');"
                                + "insert into " + table + " select * from copied; drop table copied")
                        .param("one", SmallBuild.ID.toBytes())
                        .update();
            }
        }
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = server(
                        "second",
                        "offsetd.upstreams.urls=" + upstream.url(),
                        "offsetd.upstreams.headers-timeout=60s")) {
            while (upstream.hits() < 2) {
                Thread.sleep(20);
            }
            Thread.sleep(Duration.ofMillis(500));
            assertThat(upstream.hits()).isEqualTo(2);
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
        }
    }
}
