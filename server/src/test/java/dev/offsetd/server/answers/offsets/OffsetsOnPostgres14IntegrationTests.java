package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** From the debug file to the answer, and a miss, on the oldest PostgreSQL that the server works with. */
@Timeout(120)
class OffsetsOnPostgres14IntegrationTests {

    @TempDir
    private Path folder;

    @Test
    void buildIsExtractedStoredAndAnswered() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        TestDatabase database = TestDatabase.onPostgres14();
        String[] properties = {"offsetd.offline=true", "offsetd.local-folders=" + folder.resolve("debug")};
        HttpResponse<String> first;
        try (TestServer server = TestServer.start(folder.resolve("a"), database, properties)) {
            first = server.offsets(SmallBuild.ID, "point,line.to");
            assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
            assertThat(Json.item(first, "line.to").path("offset").asInt()).isEqualTo(4);
            assertThat(server.offsets(SmallBuild.UNKNOWN_ID, "point").statusCode())
                    .isEqualTo(404);
        }
        try (TestServer server = TestServer.start(folder.resolve("b"), database, properties)) {
            assertThat(server.offsets(SmallBuild.ID, "point,line.to").body()).isEqualTo(first.body());
        }
    }
}
