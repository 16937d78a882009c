package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.identity.GoModules;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
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

            Publisher ci = Publisher.of(server, "ci");
            String precheck = "?sha256=" + "0".repeat(64);
            assertThat(Json.of(ci.precheck(server, SmallBuild.ID, precheck))
                            .path("upload")
                            .asBoolean())
                    .isTrue();
            assertThat(ci.put(server, SmallBuild.richerDebugFile()).statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void uploadsRankBeforeAnUnknownOrigin(@TempDir Path folder) {
        TestDatabase database = TestDatabase.create();
        try (TestServer server = TestServer.start(folder.resolve("server"), database, "offsetd.offline=true")) {
            Publisher ci = Publisher.of(server, "ci");
            BuildId later =
                    BuildId.parse("00" + SmallBuild.UNKNOWN_ID.toString().substring(2));
            BuildId uploaded = SmallBuild.UNKNOWN_ID;
            BuildId key = BuildId.ofGo("one/a").orElseThrow();
            for (BuildId id : List.of(later, uploaded)) {
                assertThat(ci.put(server, id, SmallBuild.debugFile(id)).statusCode())
                        .isEqualTo(201);
                server.bean(BuildKeys.class).record(id, new FileKeys(List.of(key)), Origin.UPLOAD);
                database.jdbc()
                        .sql("insert into go_modules (build_id, path, version) values (:id, 'example.org/a', '1.0')")
                        .param("id", id.toBytes())
                        .update();
            }
            for (String table : List.of("debug_files", "build_aliases")) {
                database.jdbc()
                        .sql("update " + table + " set origin = 'later' where build_id = :id")
                        .param("id", later.toBytes())
                        .update();
            }

            assertThat(server.bean(BuildKeys.class).resolve(key)).isEqualTo(uploaded);
            assertThat(server.bean(GoModules.class).programs(List.of("example.org/a"), "x86_64", 1, 9))
                    .extracting(GoModules.GoProgram::id)
                    .containsExactly(uploaded);
        }
    }
}
