package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Build-ids that sources of equal trust show for different programs. */
class SharedBuildIdsIntegrationTests {

    private static final BuildId ID = SmallBuild.ID;

    @TempDir
    private Path folder;

    private TestServer server() {
        return TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.changes.poll=20ms",
                "offsetd.local-folders=" + folder.resolve("one") + "," + folder.resolve("other"));
    }

    private void installed(byte[] one, byte[] other) throws Exception {
        SmallBuild.putInto(folder.resolve("one"), one);
        SmallBuild.putInto(folder.resolve("other"), other);
    }

    private static HttpResponse<String> once(TestServer server, int status) throws Exception {
        HttpResponse<String> answer = server.offsets(ID, "point.y");
        for (int i = 0; i < 3000 && answer.statusCode() != status; i++) {
            Thread.sleep(20);
            answer = server.offsets(ID, "point.y");
        }
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer;
    }

    private static void record(TestServer server, String goBuildId, Origin origin) {
        server.bean(BuildKeys.class)
                .record(ID, new FileKeys(List.of(BuildId.ofGo(goBuildId).orElseThrow())), origin);
    }

    @Test
    void foldersWithDifferentLayoutsShowThatABuildIdIsShared() throws Exception {
        installed(SmallBuild.debugFile(), SmallBuild.otherLayouts());
        try (TestServer server = server()) {
            // Also to the caller that waited for the extraction.
            for (int i = 0; i < 2; i++) {
                HttpResponse<String> refused = server.offsets(ID, "point.y");
                assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
                assertThat(Json.of(refused).path("code").asString()).isEqualTo("build_id_not_unique");
                assertThat(Json.of(refused).path("keys").isEmpty()).isTrue();
            }
            once(server, 409);

            // Each program answers under another key of its file.
            Publisher ci = Publisher.of(server, "ci");
            byte[] file = SmallBuild.otherLayouts();
            String key = "sha256:" + DigestUtils.sha256Hex(file);
            HttpResponse<String> put = ci.put(server, key, file);
            assertThat(put.statusCode()).as(put.body()).isEqualTo(201);
            JsonNode answer = Json.of(server.offsets(key, "point.y"));
            assertThat(answer.path("buildId").asString()).isEqualTo(key);
            assertThat(answer.path("offsets").path("point.y").path("offset").asInt(-1))
                    .isZero();
            assertThat(Json.of(once(server, 409)).path("keys").toString()).isEqualTo("[\"" + key + "\"]");
            assertThat(Json.of(ci.put(server, ID.toString(), file)).path("code").asString())
                    .isEqualTo("build_id_not_unique");

            JsonNode batch = Json.of(server.post(
                    "/v1/prewarms",
                    "{\"builds\": [\"" + ID + "\", \"" + key + "\"]}",
                    ci.authorized("Content-Type", "application/json")));
            assertThat(batch.path("items").get(0).path("cause").path("code").asString())
                    .as(batch.toString())
                    .isEqualTo("build_id_not_unique");
            assertThat(batch.path("items").get(1).path("state").asString()).isNotEqualTo("failed");
        }
    }

    @Test
    void foldersWithEqualLayoutsShowNothing() throws Exception {
        installed(SmallBuild.debugFile(), SmallBuild.paddedDebugFile());
        try (TestServer server = server()) {
            assertThat(server.offsets(ID, "point.y").statusCode()).isEqualTo(200);
            assertThat(Json.of(server.get("/v1/builds/" + ID))
                            .path("conflicts")
                            .get(0)
                            .path("layoutsDiffer")
                            .asBoolean(true))
                    .isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void typesThatAFileLacksShowNothing(boolean whole) throws Exception {
        byte[] partial = SmallBuild.withAUnitOfALaterVersion();
        byte[] complete = SmallBuild.richerDebugFile();
        installed(whole ? complete : partial, whole ? partial : complete);
        try (TestServer server = server()) {
            for (int i = 0; i < 10; i++) {
                HttpResponse<String> answer = server.offsets(ID, "point.y");
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                Thread.sleep(50);
            }
        }
    }

    @Test
    void unusableFileOfAnotherFolderShowsNothing() throws Exception {
        installed(SmallBuild.debugFile(), SmallBuild.malformed());
        try (TestServer server = server()) {
            assertThat(server.offsets(ID, "point.y").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void uploadsShowNothing() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.debugFile());
        try (TestServer server = server()) {
            assertThat(server.offsets(ID, "point.y").statusCode()).isEqualTo(200);
            HttpResponse<String> conflict =
                    Publisher.of(server, "ci").put(server, ID.toString(), SmallBuild.otherLayouts());
            assertThat(conflict.statusCode()).isEqualTo(409);
            record(server, "one/a", Origin.UPLOAD);
            record(server, "two/b", Origin.UPLOAD);
            Thread.sleep(200);
            assertThat(server.offsets(ID, "point.y").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void differentGoBuildIdsOfEqualTrustShowThatABuildIdIsShared() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.debugFile());
        try (TestServer server = server()) {
            assertThat(server.offsets(ID, "point.y").statusCode()).isEqualTo(200);
            record(server, "one/a", Origin.LOCAL);
            record(server, "two/b", Origin.DEBUGINFOD);
            record(server, "two/b", Origin.DEBUGINFOD);
            Thread.sleep(200);
            assertThat(server.offsets(ID, "point.y").statusCode()).isEqualTo(200);

            record(server, "three/c", Origin.DEBUGINFOD);

            once(server, 409);
            // A key of one of the programs does not lead to the build any more.
            assertThat(server.offsets("go:two~b", "point.y").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void foldersAndBucketsAreEquallyTrusted() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.debugFile());
        try (TestServer server = server()) {
            assertThat(server.offsets(ID, "point.y").statusCode()).isEqualTo(200);
            record(server, "one/a", Origin.LOCAL);
            record(server, "two/b", Origin.S3);
            once(server, 409);
        }
    }
}
