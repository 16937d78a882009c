package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The number of builds without layouts is bounded; stored builds are never deleted. */
class UnknownBuildsIntegrationTests {

    @TempDir
    private Path folder;

    @Test
    void onlyTheOldestMissesAreDeleted() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (TestServer server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.builds.max-unknown=2")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            for (String byteOfId : new String[] {"a1", "a2", "a3", "a4"}) {
                assertThat(server.offsets(byteOfId.repeat(20), "point").statusCode())
                        .isEqualTo(404);
            }
            assertThat(server.bean(UnknownBuilds.class).sweep()).isEqualTo(2);
            assertThat(server.get("/v1/builds/" + "a1".repeat(20)).statusCode()).isEqualTo(404);
            assertThat(server.get("/v1/builds/" + "a2".repeat(20)).statusCode()).isEqualTo(404);
            assertThat(state(server, "a3".repeat(20))).isEqualTo("not_found");
            assertThat(state(server, SmallBuild.ID.toString())).isEqualTo("extracted");
            assertThat(server.bean(UnknownBuilds.class).sweep()).isZero();
            // The oldest that is left is prewarmed.
            server.bean(JdbcClient.class).sql("""
                            with batch as (
                                insert into prewarms (id, digest, priority, types, created_by)
                                values (gen_random_uuid(), decode(repeat('00', 32), 'hex'), 'low', '{}', 'ci')
                                returning id)
                            insert into prewarm_items (prewarm_id, build_id, position)
                            select id, decode(repeat('a3', 20), 'hex'), 0 from batch
                            """).update();
            for (String byteOfId : new String[] {"a5", "a6"}) {
                assertThat(server.offsets(byteOfId.repeat(20), "point").statusCode())
                        .isEqualTo(404);
            }
            assertThat(server.bean(UnknownBuilds.class).sweep()).isEqualTo(1);
            assertThat(state(server, "a3".repeat(20))).isEqualTo("not_found");
            assertThat(server.get("/v1/builds/" + "a4".repeat(20)).statusCode()).isEqualTo(404);
        }
    }

    private static String state(TestServer server, String id) {
        return Json.of(server.get("/v1/builds/" + id)).path("state").asString();
    }
}
