package dev.offsetd.server.uploads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uploads to a full disk. Needs permission to mount one. */
class UploadFullDiskIntegrationTests {

    @TempDir
    private Path folder;

    private SmallDisk disk;

    @BeforeEach
    void mount() {
        disk = SmallDisk.over(folder, "size=256k");
    }

    @AfterEach
    void unmount() {
        disk.close();
    }

    @Test
    @ChecklistRow({16})
    void uploadToAFullDiskIs503LeavesNothingAndMends() throws Exception {
        byte[] file = Arrays.copyOf(SmallBuild.debugFile(), 128 << 10);
        try (TestServer server =
                TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true")) {
            Publisher publisher = Publisher.of(server, "ci");
            Path ballast = Files.write(folder.resolve("ballast"), new byte[192 << 10]);
            HttpResponse<String> refused = publisher.put(server, file);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(Json.of(refused).path("code").asString()).isEqualTo("disk_failed");
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(folder.resolve("data/cache/tmp")).isEmptyDirectory();
            Files.delete(ballast);
            assertThat(publisher.put(server, file).statusCode()).isEqualTo(201);
        }
    }
}
