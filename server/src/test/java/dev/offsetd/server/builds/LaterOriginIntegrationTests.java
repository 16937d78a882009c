package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** During an upgrade, a server of the next release stores origins that this one does not know. */
@Timeout(300)
class LaterOriginIntegrationTests {

    @Test
    void buildOfAnUnknownOriginIsAnsweredAndShown(@TempDir Path folder) throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        TestDatabase database = TestDatabase.create();
        try (TestServer server = TestServer.start(
                folder.resolve("server"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"))) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            for (String table : List.of("debug_files", "source_outcomes")) {
                database.jdbc().sql("update " + table + " set origin = 'later'").update();
            }
            server.forgetAnswers();

            HttpResponse<String> offsets = server.offsets(SmallBuild.ID, "point");
            assertThat(offsets.statusCode()).as(offsets.body()).isEqualTo(200);
            assertThat(offsets.body()).contains("\"later\"");
            JsonNode build = Json.of(server.get("/v1/builds/" + SmallBuild.ID));
            assertThat(build.path("provenance").path("origin").asString()).isEqualTo("later");
            assertThat(build.path("checked").toString()).contains("\"later\"");
        }
    }
}
