package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A server whose data folder is on a disk that is really full: a tmpfs of 1 MiB. Needs the right to mount one. */
@ChecklistRow(16)
@Timeout(300)
class FullDiskServerIntegrationTests {

    private static final BuildId SECOND = BuildId.parse("00000000000000000000000000000000000000b2");
    private static final BuildId THIRD = BuildId.parse("00000000000000000000000000000000000000b3");

    @TempDir
    private Path folder;

    private Path data;

    private SmallDisk disk;

    @BeforeEach
    void mount() throws Exception {
        data = Files.createDirectory(folder.resolve("data"));
        disk = SmallDisk.over(data, "size=1m");
    }

    @AfterEach
    void unmount() {
        disk.close();
    }

    @Test
    void whatIsStoredIsAnsweredNewWorkWaitsAndItMendsByItself() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (FaultServer upstream = FaultServer.serving(new byte[0], new byte[0]);
                TestServer server = TestServer.start(
                        data,
                        database,
                        "offsetd.upstreams.urls=" + upstream.url("ok"),
                        "offsetd.upstreams.max-file-size=1MB",
                        "offsetd.extraction.retry.failed=5s")) {
            upstream.has(SmallBuild.ID, padded(SmallBuild.ID, 600 << 10));
            upstream.has(SECOND, padded(SECOND, 600 << 10));
            upstream.has(THIRD, padded(THIRD, 900 << 10));
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            Path ballast = Files.write(data.resolve("ballast"), new byte[300 << 10]);
            HttpResponse<String> second = server.offsets(SECOND, "point");
            assertThat(second.statusCode())
                    .as("the cache has given up the first file: %s", second.body())
                    .isEqualTo(200);

            HttpResponse<String> third = server.offsets(THIRD, "point");
            assertThat(third.statusCode()).as(third.body()).isEqualTo(503);
            assertThat(Json.of(third).path("code").asString()).isEqualTo("disk_failed");
            assertThat(third.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(1L, 5L);
            assertThat(third.headers().firstValue("Cache-Control")).hasValue("no-store");
            for (BuildId stored : new BuildId[] {SmallBuild.ID, SECOND}) {
                assertThat(server.offsets(stored, "line").statusCode()).isEqualTo(200);
                assertThat(server.offsets(stored, "point").statusCode()).isEqualTo(200);
            }
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
            try (Stream<Path> unfinished = Files.list(data.resolve("cache/tmp"))) {
                assertThat(unfinished).isEmpty();
            }

            Files.delete(ballast);
            database.jdbc().sql("update builds set retry_at = now()").update();
            HttpResponse<String> mended = server.offsets(THIRD, "point");
            assertThat(mended.statusCode()).as(mended.body()).isEqualTo(200);
        }
        assertThat(database.jdbc()
                        .sql("select count(*) from source_outcomes where outcome <> 'fetched'")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void importToAFullDiskIs503LeavesNothingAndMends() throws Exception {
        Path debug = folder.resolve("debug");
        SmallBuild.putInto(debug, SmallBuild.debugFile());
        try (TestServer server = TestServer.start(
                data, TestDatabase.create(), "offsetd.offline=true", "offsetd.local-folders=" + debug)) {
            String path = "/v1/builds/" + SmallBuild.ID + "/bundle";
            byte[] archive = server.file("GET", path, "Prefer", "wait=30").body();
            Administrator importer = Administrator.of(server, "alice");
            Path ballast = fill();

            HttpResponse<String> refused = importBundle(server, importer, path, archive);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(Json.of(refused).path("code").asString()).isEqualTo("disk_failed");
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(data.resolve("cache/tmp")).isEmptyDirectory();
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);

            Files.delete(ballast);
            HttpResponse<String> taken = importBundle(server, importer, path, archive);
            assertThat(taken.statusCode()).as(taken.body()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> importBundle(
            TestServer server, Administrator importer, String path, byte[] archive) {
        return server.send("PUT", path, BodyPublishers.ofByteArray(archive), importer.authorized());
    }

    @Test
    void logFileOnAFullDiskStopsNoRequestAndGoesOnWhenThereIsRoom() throws Exception {
        Path debug = folder.resolve("debug");
        SmallBuild.putInto(debug, SmallBuild.debugFile());
        Path file = data.resolve("server.log");
        try (TestServer server = TestServer.start(
                data,
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + debug,
                "logging.file.name=" + file)) {
            Logger log = LoggerFactory.getLogger(FullDiskServerIntegrationTests.class);
            assertThat(server.offsets(SmallBuild.ID, "point", "Prefer", "wait=30")
                            .statusCode())
                    .isEqualTo(200);
            Path ballast = fill();
            for (int line = 0; line < 1_000; line++) {
                log.info("a line that does not fit {}", line);
            }
            assertThat(server.offsets(SmallBuild.ID, "line").statusCode()).isEqualTo(200);
            assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
            assertThat(Files.readString(file)).doesNotContain("no room 999");

            Files.delete(ballast);
            // The appender tries again after a pause that grows while it fails.
            while (!Files.readString(file).contains("there is room")) {
                log.info("there is room");
                Thread.sleep(50);
            }
        }
    }

    /** Takes all room of the disk, and returns the file that does. */
    private Path fill() {
        Path ballast = data.resolve("ballast");
        assertThatThrownBy(() -> Files.write(ballast, new byte[2 << 20])).hasMessageContaining("No space left");
        return ballast;
    }

    /** The build's debug file with zeros behind it. */
    private static byte[] padded(BuildId id, int bytes) {
        return Arrays.copyOf(SmallBuild.debugFile(id), bytes);
    }
}
