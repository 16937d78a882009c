package dev.offsetd.server.exports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports that are rendered while the disk of their folder is full. Needs permission to mount one. */
class ExportFullDiskIntegrationTests {

    @TempDir
    private Path folder;

    @Test
    @ChecklistRow(16)
    void exportOnAFullDiskIs503LeavesNothingAndMends() throws Exception {
        Path debug = folder.resolve("debug");
        SmallBuild.putInto(debug, SmallBuild.debugFile());
        Path exports = Files.createDirectories(folder.resolve("data/exports"));
        try (SmallDisk _ = SmallDisk.over(exports, "size=64k,mode=0700");
                TestServer server = TestServer.start(
                        folder.resolve("data"),
                        TestDatabase.create(),
                        "offsetd.offline=true",
                        "offsetd.local-folders=" + debug)) {
            Path ballast = exports.resolve("ballast");
            assertThatThrownBy(() -> Files.write(ballast, new byte[128 << 10])).hasMessageContaining("No space left");
            HttpResponse<String> refused = export(server);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(Json.of(refused).path("code").asString()).isEqualTo("disk_failed");
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(exports.toFile().list()).containsExactly("ballast");
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);

            Files.delete(ballast);
            assertThat(export(server).statusCode()).isEqualTo(200);
        }
    }

    private static HttpResponse<String> export(TestServer server) {
        String path = "/v1/exports/" + SmallBuild.ID + "/btf";
        HttpResponse<String> redirect = server.get(path, "Prefer", "wait=30");
        assertThat(redirect.statusCode()).as(redirect.body()).isEqualTo(302);
        return server.get(URI.create(path)
                .resolve(redirect.headers().firstValue("Location").orElseThrow())
                .toString());
    }
}
