package dev.offsetd.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.database.EmbeddedDatabase;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Without its database the server still gives the answers that it has in memory, and says what it cannot do. */
@Timeout(120)
class DatabaseOutageIntegrationTests {

    @TempDir
    private Path folder;

    @Test
    void answersInMemoryGoOutAndTheRestIsUnavailable() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        EmbeddedDatabase database = EmbeddedDatabase.start(folder.resolve("database"));
        try (TestServer server = TestServer.start(
                folder.resolve("data"),
                database.jdbcUrl(),
                database.user(),
                database.password(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"))) {
            HttpResponse<String> before = server.offsets(SmallBuild.ID, "point");
            assertThat(before.statusCode()).isEqualTo(200);
            assertThat(Json.of(server.get("/readyz")).has("degraded")).isFalse();

            database.close();

            HttpResponse<String> ready = server.get("/readyz");
            assertThat(ready.statusCode()).isEqualTo(200);
            assertThat(Json.of(ready).path("degraded").asString()).isEqualTo("database");
            assertThat(server.get("/livez").statusCode()).isEqualTo(200);
            assertThat(server.offsets(SmallBuild.ID, "point").body()).isEqualTo(before.body());

            HttpResponse<String> other = server.offsets(SmallBuild.UNKNOWN_ID, "point");
            assertThat(other.statusCode()).isEqualTo(503);
            assertThat(Json.of(other).path("code").asString()).isEqualTo("database_unavailable");
            assertThat(other.headers().firstValue("Retry-After")).isPresent();
            assertThat(server.get("/v1/builds/" + SmallBuild.ID).statusCode()).isEqualTo(503);
        }
    }
}
