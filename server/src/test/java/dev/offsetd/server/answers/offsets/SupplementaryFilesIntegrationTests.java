package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.RealDebuginfod;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A debug file that {@code dwz -m} has moved types out of is complete only with a second file, fetched by its own build-id. */
@ChecklistRow({30, 33})
class SupplementaryFilesIntegrationTests {

    private static final BuildId BUILD = BuildId.parse("dcc9c9ff5703a3c2834d7872a08871e92e646c42");
    private static final BuildId SHARED = BuildId.parse("a856369f6860e66f1ed8c5ae5ee45144ffd78c0f");

    @TempDir
    private Path folder;

    private final TestDatabase database = TestDatabase.create();

    private static byte[] fixture(String name) throws IOException {
        String resource = "/fixtures/gcc12-dwarf5-supplementary-el/" + name;
        try (InputStream in = SupplementaryFilesIntegrationTests.class.getResourceAsStream(resource)) {
            return Objects.requireNonNull(in, resource).readAllBytes();
        }
    }

    private static void assertAnswered(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(Json.item(response, "arrays").path("status").asString()).isEqualTo("found");
    }

    private static JsonNode provenance(TestServer server) {
        return Json.of(server.get("/v1/builds/" + BUILD)).path("provenance");
    }

    private void due() {
        database.jdbc().sql("update builds set retry_at = now()").update();
        database.jdbc().sql("update source_outcomes set retry_at = now()").update();
    }

    @Test
    void realDebuginfodHasBothFiles() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.write(served.resolve("layout.debug"), fixture("layout.debug"));
        Files.write(served.resolve("common.dwz"), fixture("common.dwz"));
        try (RealDebuginfod debuginfod = RealDebuginfod.over(served, 2, folder);
                TestServer server = TestServer.start(
                        folder.resolve("data"), database, "offsetd.upstreams.urls=" + debuginfod.url())) {
            assertAnswered(server.offsets(BUILD, "arrays"));
            assertThat(debuginfod.downloads()).isEqualTo(2);
            JsonNode provenance = provenance(server);
            assertThat(provenance.path("bytes").asLong()).isEqualTo(fixture("layout.debug").length);
            assertThat(provenance.path("fetchedBytes").asLong()).isPositive();
            assertThat(provenance.path("supplementary").path("buildId").asString())
                    .isEqualTo(SHARED.toString());
            assertThat(provenance.path("supplementary").path("bytes").asLong()).isEqualTo(fixture("common.dwz").length);
            assertThat(provenance.path("supplementary").path("upstream").asString())
                    .isEqualTo(debuginfod.url());
        }
    }

    @Test
    void fileThatIsMissingIsNamedAndOneThatFailsIsAFailure() throws Exception {
        try (FaultServer upstream = FaultServer.serving(fixture("layout.debug"), fixture("layout.debug"));
                TestServer server = TestServer.start(
                        folder.resolve("data"),
                        database,
                        "offsetd.upstreams.urls=" + upstream.url("first") + "," + upstream.url("second"),
                        "offsetd.upstreams.headers-timeout=4s",
                        "offsetd.upstreams.max-retry-after=1ms",
                        "offsetd.upstreams.breaker.failures=3",
                        "offsetd.upstreams.breaker.open-for=60s",
                        "offsetd.extraction.retry.failed=1ms")) {
            upstream.has(SHARED, fixture("common.dwz"));
            upstream.script("first", BUILD, "ok");
            upstream.script("second", BUILD, "404");
            upstream.script("second", SHARED, "404");

            upstream.script("first", SHARED, "404");
            HttpResponse<String> missing = server.offsets(BUILD, "arrays");
            assertThat(missing.statusCode()).as(missing.body()).isEqualTo(422);
            assertThat(Json.of(missing).path("code").asString()).isEqualTo("unsupported");
            assertThat(Json.of(missing).path("detail").asString()).contains("needs", SHARED.toString());
            assertThat(Json.of(missing).path("retryAfter").asInt())
                    .as("it may come later, like any file")
                    .isBetween(60, 120);

            upstream.script("first", SHARED, "wrongid");
            assertFails(server, 502, "upstream_broken");
            upstream.script("first", SHARED, "500");
            assertFails(server, 502, "upstream_refused");
            upstream.script("first", SHARED, "hang");
            assertFails(server, 504, "upstream_silent");
            assertFails(server, 504, "upstream_silent");
            HttpResponse<String> skipped = assertFails(server, 504, "upstream_silent");
            assertThat(Json.of(skipped).path("detail").asString()).contains("skipped");
            assertThat(upstream.hits("first", SHARED)).isEqualTo(5);

            upstream.script("second", SHARED, "ok");
            due();
            assertAnswered(server.offsets(BUILD, "arrays"));
            assertThat(provenance(server).path("supplementary").path("upstream").asString())
                    .isEqualTo(upstream.url("second"));
            assertThat(provenance(server).path("fetchedBytes").asLong())
                    .as("the debug file was here already")
                    .isEqualTo(fixture("common.dwz").length);
            assertThat(upstream.hits("first", BUILD)).isEqualTo(1);
        }
        assertThat(database.jdbc()
                        .sql("select count(*) from source_outcomes where outcome = 'not_found' and source like"
                                + " '%/first/'")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    /** A hostile upstream links files to themselves and to each other. */
    @Test
    @ChecklistRow(30)
    void linksThatFormALoopCostTwoDownloads() throws Exception {
        byte[] linked = fixture("layout.debug");
        // Claims to be the supplementary file, and links to the supplementary file: to itself.
        byte[] shared = replaced(linked, BUILD, SHARED);
        // Links to itself.
        byte[] own = replaced(linked, SHARED, BUILD);
        // The supplementary file of the first, which links back to it.
        byte[] back = swapped(linked);
        for (byte[][] files : new byte[][][] {{linked, shared}, {own, shared}, {linked, back}}) {
            try (FaultServer upstream = FaultServer.serving(linked, linked);
                    TestServer server = TestServer.start(
                            folder.resolve("data"), database, "offsetd.upstreams.urls=" + upstream.url("ok"))) {
                upstream.has(BUILD, files[0]);
                upstream.has(SHARED, files[1]);
                HttpResponse<String> response = server.offsets(BUILD, "arrays");
                assertThat(response.statusCode()).as(response.body()).isBetween(200, 499);
                assertThat(upstream.hits("ok")).isBetween(1, 2);
            }
            database.jdbc().sql("delete from builds").update();
            deleteCache();
        }
    }

    private void deleteCache() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("data/cache"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (file.toString().contains(".debug")) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Returns the file with another build-id in the place of one that it has. */
    private static byte[] replaced(byte[] file, BuildId from, BuildId to) {
        String text = new String(file, StandardCharsets.ISO_8859_1);
        String old = new String(from.toBytes(), StandardCharsets.ISO_8859_1);
        assertThat(text).contains(old);
        return text.replace(old, new String(to.toBytes(), StandardCharsets.ISO_8859_1))
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] swapped(byte[] file) {
        BuildId third = BuildId.parse("33".repeat(20));
        return replaced(replaced(replaced(file, BUILD, third), SHARED, BUILD), third, SHARED);
    }

    private HttpResponse<String> assertFails(TestServer server, int status, String code) {
        due();
        HttpResponse<String> response = server.offsets(BUILD, "arrays");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
        assertThat(Json.of(response).path("detail").asString()).contains("supplementary file " + SHARED);
        return response;
    }
}
