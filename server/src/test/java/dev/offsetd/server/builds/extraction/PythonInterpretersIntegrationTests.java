package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Debian's stripped interpreter answers from its debug offsets, and exports what they say. */
@Timeout(300)
class PythonInterpretersIntegrationTests {

    private static final String FRAME = "_PyInterpreterFrame";

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static String id;

    @BeforeAll
    static void start() throws Exception {
        Path python = DebianPackages.unpackedOfRelease("trixie", "python3.13-minimal", "amd64")
                .resolve("usr/bin/python3.13");
        try (DebugInfo info = DebugInfo.open(python)) {
            id = info.keys().primary().toString();
        }
        server = TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true");
        HttpResponse<String> put = Publisher.of(server, "ci").putExecutable(server, id, Files.readAllBytes(python));
        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        assertThat(Json.of(put).path("layouts").asBoolean()).isTrue();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static JsonNode offsets(String types) {
        HttpResponse<String> answer = server.offsets(id, types);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.of(answer).path("offsets");
    }

    @Test
    void membersOfTheTableAreFoundAndOthersAreNotInTheBinary() {
        JsonNode offsets =
                offsets(FRAME + ".previous," + FRAME + ".return_offset," + FRAME + ",PyTypeObject.tp_as_async");

        // Values that gdb prints of the debug file: docs/exactness.md.
        assertThat(offsets.path(FRAME + ".previous").path("offset").asInt()).isEqualTo(8);
        assertThat(offsets.path(FRAME).path("size").asInt()).isEqualTo(80);
        assertThat(offsets.path(FRAME + ".return_offset").path("status").asString())
                .isEqualTo("not_in_binary");
        assertThat(offsets.path("PyTypeObject.tp_as_async").path("status").asString())
                .isEqualTo("not_in_binary");
    }

    @Test
    void isfHasEachMemberWithoutAType() throws Exception {
        HttpResponse<String> redirect = server.get("/v1/exports/" + id + "/isf");
        String revision = redirect.headers().firstValue("Location").orElseThrow();
        byte[] file = server.file("GET", "/v1/exports/" + id + "/" + revision.replaceFirst(".*?(isf/r/)", "$1"))
                .body();
        JsonNode isf;
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(file))) {
            isf = JsonMapper.shared().readTree(in.readAllBytes());
        }

        JsonNode frame = isf.path("user_types").path(FRAME);
        assertThat(frame.path("size").asInt()).isEqualTo(80);
        assertThat(frame.path("fields").path("previous").toString())
                .isEqualTo("{\"type\":{\"kind\":\"base\",\"name\":\"void\"},\"offset\":8}");
        assertThat(frame.path("fields").propertyNames()).doesNotContain("return_offset");
    }

    @Test
    void btfHasTheSizeAndCountsTheMembersThatItCannotExpress() throws Exception {
        HttpResponse<String> redirect = server.get("/v1/exports/" + id + "/btf?types=" + FRAME);
        String revision = redirect.headers().firstValue("Location").orElseThrow();
        HttpResponse<byte[]> file =
                server.file("GET", "/v1/exports/" + id + "/" + revision.replaceFirst(".*?(btf/r/)", "$1"));
        Path btf = Files.write(folder.resolve("python.btf"), file.body());

        // BTF has no members of unknown size: a program that relocates one must fail to load, not read another place.
        assertThat(RequiredTool.require("bpftool").output("btf", "dump", "file", btf))
                .contains("STRUCT '" + FRAME + "' size=80 vlen=0");
        assertThat(Integer.parseInt(
                        file.headers().firstValue("X-Offsetd-Omitted").orElseThrow()))
                .isGreaterThanOrEqualTo(5);
    }

    @Test
    void headerHasOffsetsAndSaysThatSizesAreUnknown() {
        String header = server.get("/v1/offsets/" + id + "?types=" + FRAME, "Accept", "text/x-c")
                .body();

        assertThat(header)
                .contains("#define " + FRAME + "_SIZE 80")
                .contains("#define " + FRAME + "_previous_OFFSET 8")
                .contains(FRAME + ".previous: its size is not known");
    }
}
