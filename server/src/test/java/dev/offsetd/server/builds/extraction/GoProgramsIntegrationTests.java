package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.RealDebuginfod;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A Go program without debug information answers from its executable until debug information is known. */
@Timeout(180)
class GoProgramsIntegrationTests {

    private static final String ID = "6f".repeat(20);

    private static final String SOURCE = """
            package main

            type Shape struct {
            	Sides int
            	Name  string
            }

            func main() {
            	var shown interface{} = Shape{}
            	println(shown)
            }
            """;

    @TempDir
    private Path folder;

    private Path served;

    @BeforeEach
    void create() throws Exception {
        served = Files.createDirectories(folder.resolve("served"));
        Files.writeString(folder.resolve("go.mod"), "module example.com/shapes\n\ngo 1.18\n");
        Files.writeString(folder.resolve("main.go"), SOURCE);
    }

    /** Builds the program with a GNU build-id, which Go before 1.24 gives only on request. */
    private Path program(String name, String linkerOptions) throws Exception {
        Path file = folder.resolve(name);
        RequiredTool.require("go")
                .with("GOTOOLCHAIN", "local")
                .with("GOFLAGS", "-mod=mod")
                .outputIn(folder, "build", "-o", file, "-ldflags=" + linkerOptions + " -B 0x" + ID);
        return file;
    }

    private TestServer server(String upstream) {
        return TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.upstreams.urls=" + upstream);
    }

    private static JsonNode offsets(TestServer server, String types) {
        HttpResponse<String> answer = server.offsets(ID, types, "Prefer", "wait=30");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.of(answer).path("offsets");
    }

    private static String status(JsonNode offsets, String item) {
        return offsets.path(item).path("status").asString();
    }

    @Test
    void executableAnswersUntilDebugInformationIsUploaded() throws Exception {
        Files.copy(program("stripped", "-s -w"), served.resolve("shapes"));
        Path debug = program("debug", "");
        try (RealDebuginfod upstream = RealDebuginfod.over(served, 1, folder);
                TestServer server = server(upstream.url())) {
            Publisher ci = Publisher.of(server, "ci");

            JsonNode first = offsets(server, "main.Shape.Name,runtime.schedt,runtime.schedt.lock");

            assertThat(first.path("main.Shape.Name").path("offset").asInt()).isEqualTo(8);
            assertThat(first.path("main.Shape.Name").path("size").asInt()).isEqualTo(16);
            assertThat(status(first, "runtime.schedt")).isEqualTo("not_in_binary");
            assertThat(status(first, "runtime.schedt.lock")).isEqualTo("not_in_binary");
            JsonNode build = Json.of(server.get("/v1/builds/" + ID));
            assertThat(build.path("provenance").path("upstream").asString()).isEqualTo(upstream.url());

            assertThat(Json.of(ci.precheck(server, ID, "?sha256=" + "0".repeat(64)))
                            .path("upload")
                            .asBoolean())
                    .isTrue();
            HttpResponse<String> put = ci.put(server, ID, Files.readAllBytes(debug));
            assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
            JsonNode second = offsets(server, "main.Shape.Name,runtime.schedt.goidgen");
            assertThat(second.path("main.Shape.Name").path("offset").asInt()).isEqualTo(8);
            assertThat(second.path("runtime.schedt.goidgen").path("status").asString())
                    .isEqualTo("found");
            assertThat(Json.of(server.get("/v1/builds/" + ID))
                            .path("provenance")
                            .path("origin")
                            .asString())
                    .isEqualTo("upload");
        }
    }

    @Test
    void debugInformationThatContradictsTheProgramIsRefused() throws Exception {
        Files.copy(program("stripped", "-s -w"), served.resolve("shapes"));
        Files.writeString(folder.resolve("main.go"), SOURCE.replace("Sides int", "Sides int16"));
        Path forged = program("forged", "");
        Files.writeString(folder.resolve("main.go"), SOURCE.replace("Sides int", "Sides [2]int"));
        Path other = program("other", "");
        try (RealDebuginfod upstream = RealDebuginfod.over(served, 1, folder);
                TestServer server = server(upstream.url())) {
            Publisher ci = Publisher.of(server, "ci");
            assertThat(offsets(server, "main.Shape")
                            .path("main.Shape")
                            .path("size")
                            .asInt())
                    .isEqualTo(24);

            assertThat(ci.put(server, ID, Files.readAllBytes(forged)).statusCode())
                    .isEqualTo(409);
            assertThat(ci.put(server, ID, Files.readAllBytes(other)).statusCode())
                    .isEqualTo(409);
            assertThat(offsets(server, "main.Shape")
                            .path("main.Shape")
                            .path("size")
                            .asInt())
                    .isEqualTo(24);
        }
    }

    @Test
    void executableThatIsNotGoIsNotFound() throws Exception {
        Path source = Files.writeString(folder.resolve("plain.txt"), "int main(void) { return 0; }");
        RequiredTool.require("gcc")
                .output("-x", "c", "-s", "-Wl,--build-id=0x" + ID, "-o", served.resolve("plain"), source);
        try (RealDebuginfod upstream = RealDebuginfod.over(served, 1, folder);
                TestServer server = server(upstream.url())) {
            HttpResponse<String> answer = server.offsets(ID, "main.Shape", "Prefer", "wait=30");

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(404);
            assertThat(Json.of(answer).path("cause").asString()).isEqualTo("not_found");
        }
    }

    @Test
    void uploadedExecutableAnswersByItsGoBuildId() throws Exception {
        Path file = folder.resolve("plain");
        RequiredTool.require("go")
                .with("GOTOOLCHAIN", "local")
                .with("GOFLAGS", "-mod=mod")
                .outputIn(folder, "build", "-o", file, "-ldflags=-s -w");
        String key;
        try (DebugInfo info = DebugInfo.open(file)) {
            key = info.keys().primary().toString();
        }
        TestDatabase database = TestDatabase.create();
        try (TestServer server = TestServer.start(folder.resolve("data"), database, "offsetd.offline=true")) {
            HttpResponse<String> put = Publisher.of(server, "ci").putExecutable(server, key, Files.readAllBytes(file));

            assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
            assertThat(key).startsWith("go:");
            assertThat(Json.of(put).path("layouts").asBoolean()).isTrue();
            HttpResponse<String> answer = server.offsets(key, "main.Shape.Name");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(Json.of(answer)
                            .path("offsets")
                            .path("main.Shape.Name")
                            .path("offset")
                            .asInt())
                    .isEqualTo(8);
            HttpResponse<String> symbols = server.post(
                    "/v1/symbols",
                    "{\"queries\": [{\"buildId\": \"" + key + "\", \"address\": \"0x1\"}]}",
                    "Content-Type",
                    "application/json");
            assertThat(Json.of(symbols).path("answers").get(0).path("status").asInt())
                    .as(symbols.body())
                    .isEqualTo(200);
            assertThat(database.jdbc()
                            .sql("select path || ' ' || version from go_modules order by path")
                            .query(String.class)
                            .list())
                    .containsExactly("example.com/shapes ", "std " + goVersion());
        }
    }

    private static String goVersion() throws Exception {
        return RequiredTool.require("go").output("env", "GOVERSION").strip().substring(2);
    }
}
