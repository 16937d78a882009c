package dev.offsetd.server.exports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Offsets of Go members by module version are those that the compiler used, and never a guess between programs. */
@Timeout(300)
class GoOffsetsIntegrationTests {

    private static final String TRACKER = "/v1/exports/go/offsets.json?machine=x86_64";
    private static final String RESULTS = "/v1/exports/go/offset_results.json?machine=x86_64";

    private static final String LIST = """
            {"example.org/lib": {"versions": ">= 1.0", "fields": {"example.org/lib.Box": ["Name", "Old", "[1.1.0]Late"]}},
             "example.org/loose": {"branch": "main", "fields": {"example.org/lib/inner.Thing": ["Value"]}}}
            """;

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static String printed = "";

    @BeforeAll
    static void start() throws Exception {
        server = TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true");
        Publisher ci = Publisher.of(server, "ci");
        // Name moves in 1.1.0, and Old is gone in 1.10.0, which is after 1.9.0.
        upload(ci, program("one", "v1.0.0", "Old int64; Name string", ""));
        upload(ci, program("nine", "v1.9.0", "Old, Late int64; Name string", ""));
        upload(ci, program("ten", "v1.10.0", "Late int64; Name string", ""));
        upload(ci, program("again", "v1.10.0", "Late int64; Name string; Extra int", ""));
        // Two programs of one version that differ, as with a tag of the build.
        upload(ci, program("tagged", "v1.20.0", "Old int64; Name string", ""));
        upload(ci, program("untagged", "v1.20.0", "Name string; Old int64", ""));
        // Code of another module or of a folder is not that of the version.
        upload(ci, program("forked", "v1.30.0", "Old [9]int64; Name string", "example.com/fork v1.30.0"));
        upload(ci, program("local", "v1.31.0", "Old [9]int64; Name string", "./vendor/example.org/lib"));
        upload(ci, program("snapshot", "v1.9.1-0.20240102030405-abcdefabcdef", "Old, Late int64; Name string", ""));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Builds a program with a vendored module of this version. */
    private static Path program(String name, String version, String fields, String replacement) throws Exception {
        Path at = folder.resolve("source");
        Path lib = Files.createDirectories(at.resolve("vendor/example.org/lib"));
        Path inner = Files.createDirectories(lib.resolve("inner"));
        String replaced = replacement.isEmpty() ? "" : " => " + replacement;
        Files.writeString(lib.resolve("go.mod"), "module example.org/lib\n\ngo 1.18\n");
        Files.writeString(
                lib.resolve("lib.go"), "package lib\n\ntype Box struct { " + fields.replace(";", "\n") + " }\n");
        Files.writeString(inner.resolve("inner.go"), "package inner\n\ntype Thing struct { Key string; Value int }\n");
        Files.writeString(
                at.resolve("vendor/modules.txt"),
                """
                # example.org/lib %s%s
                ## explicit
                example.org/lib
                example.org/lib/inner
                """.formatted(version, replaced) + (replaced.isEmpty() ? "" : "# example.org/lib" + replaced + "\n"));
        Files.writeString(
                at.resolve("go.mod"),
                "module example.org/demo\n\ngo 1.18\n\nrequire example.org/lib " + version + "\n"
                        + (replaced.isEmpty() ? "" : "\nreplace example.org/lib" + replaced + "\n"));
        Files.writeString(at.resolve("main.go"), """
                package main

                import (
                	"fmt"
                	"net/http"
                	"net/url"
                	"unsafe"

                	"example.org/lib"
                	"example.org/lib/inner"
                )

                func main() {
                	var r http.Request
                	var u url.URL
                	fmt.Println("net/http.Request.Method", unsafe.Offsetof(r.Method))
                	fmt.Println("net/http.Request.URL", unsafe.Offsetof(r.URL))
                	fmt.Println("net/http.Request.ContentLength", unsafe.Offsetof(r.ContentLength))
                	fmt.Println("net/http.Request.Header", unsafe.Offsetof(r.Header))
                	fmt.Println("net/url.URL.Path", unsafe.Offsetof(u.Path))
                	fmt.Println("net/url.URL.RawQuery", unsafe.Offsetof(u.RawQuery))
                	fmt.Println("net/url.URL.Host", unsafe.Offsetof(u.Host))
                	fmt.Println("net/url.URL.Scheme", unsafe.Offsetof(u.Scheme))
                	fmt.Sprintln(lib.Box{}, inner.Thing{}, r, u, "%s")
                }
                """.formatted(name));
        Path file = folder.resolve(name);
        go().outputIn(at, "build", "-o", file, "-ldflags=-s -w", ".");
        printed = RequiredTool.at(file).output();
        return file;
    }

    private static RequiredTool go() {
        return RequiredTool.require("go").with("GOTOOLCHAIN", "local").with("GOFLAGS", "-mod=vendor");
    }

    private static void upload(Publisher ci, Path file) throws Exception {
        String key;
        try (DebugInfo info = DebugInfo.open(file)) {
            key = info.keys().primary().toString();
        }
        HttpResponse<String> put = ci.putExecutable(server, key, Files.readAllBytes(file));
        assertThat(put.statusCode()).as(put.body()).isBetween(200, 201);
    }

    private static JsonNode ok(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.of(answer);
    }

    private static String goVersion() throws Exception {
        return go().output("env", "GOVERSION").strip().substring(2);
    }

    @Test
    void membersOfTheStandardLibraryAreThoseThatAProgramPrints() throws Exception {
        JsonNode data = ok(server.get(TRACKER)).path("data");
        String version = goVersion();

        assertThat(printed.lines()).hasSize(8).allSatisfy(line -> {
            String item = line.substring(0, line.indexOf(' '));
            int dot = item.lastIndexOf('.');
            JsonNode field = data.path(item.substring(0, dot)).path(item.substring(dot + 1));
            assertThat(field.path("offsets").toString())
                    .isEqualTo(
                            "[{\"offset\":" + line.substring(item.length() + 1) + ",\"since\":\"" + version + "\"}]");
            assertThat(field.path("versions").toString())
                    .isEqualTo("{\"oldest\":\"" + version + "\",\"newest\":\"" + version + "\"}");
        });
        assertThat(List.copyOf(data.propertyNames())).isSorted().noneMatch(name -> name.startsWith("example.org"));
    }

    @Test
    void everyVersionIsListedInOrder() {
        JsonNode modules = ok(server.post(RESULTS, LIST));

        assertThat(modules.get(0).toString())
                .isEqualTo("{\"module\":\"example.org/lib\",\"packages\":[{\"package\":\"example.org/lib\",\"structs\":"
                        + "[{\"struct\":\"Box\",\"fields\":["
                        + "{\"field\":\"Late\",\"offsets\":[{\"offset\":null,\"versions\":[\"1.20.0\"]},{\"offset\":0,\"versions\":[\"1.10.0\"]},"
                        + "{\"offset\":8,\"versions\":[\"1.9.0\",\"1.9.1-0.20240102030405-abcdefabcdef\"]}]},"
                        + "{\"field\":\"Name\",\"offsets\":[{\"offset\":8,\"versions\":[\"1.0.0\",\"1.10.0\"]},"
                        + "{\"offset\":16,\"versions\":[\"1.9.0\",\"1.9.1-0.20240102030405-abcdefabcdef\"]}]},"
                        + "{\"field\":\"Old\",\"offsets\":[{\"offset\":null,\"versions\":[\"1.10.0\"]},"
                        + "{\"offset\":0,\"versions\":[\"1.0.0\",\"1.9.0\",\"1.9.1-0.20240102030405-abcdefabcdef\"]}]}"
                        + "]}]}]}");
        assertThat(modules.get(1).path("module").asString()).isEqualTo("example.org/loose");
    }

    @Test
    void contradictionsAreLeftOutAndCounted() {
        HttpResponse<String> results = server.post(RESULTS, LIST);
        assertThat(results.body()).doesNotContain("1.30.0").doesNotContain("1.31.0");
        // Name and Old in 1.20.0; both programs lack Late.
        assertThat(results.body().split("1[.]20[.]0", -1)).hasSize(2);
        assertThat(results.headers().firstValue("X-Offsetd-Omitted")).contains("2");

        // Ranges have no gaps, so a contradicted member has no range at all.
        HttpResponse<String> tracker = server.post(TRACKER, LIST);
        assertThat(tracker.headers().firstValue("X-Offsetd-Omitted")).contains("2");
        Map<String, String> types = new TreeMap<>();
        ok(tracker)
                .path("data")
                .properties()
                .forEach(type -> types.put(type.getKey(), type.getValue().toString()));
        assertThat(types)
                .isEqualTo(Map.of(
                        "example.org/lib.Box",
                        "{\"Late\":{\"versions\":{\"oldest\":\"1.9.0\",\"newest\":\"1.10.0\"},\"offsets\":"
                                + "[{\"offset\":8,\"since\":\"1.9.0\"},{\"offset\":0,\"since\":\"1.10.0\"}]}}",
                        "example.org/lib/inner.Thing",
                        "{\"Value\":{\"versions\":{\"oldest\":\"0.0.0\",\"newest\":\"0.0.0\"},\"offsets\":"
                                + "[{\"offset\":16,\"since\":\"0.0.0\"}]}}"));
    }

    @Test
    void otherArchitecturesHaveTablesOfTheirOwn() {
        assertThat(server.get(TRACKER.replace("x86_64", "aarch64")).body()).isEqualTo("{\"data\":{}}");
        assertThat(server.get(RESULTS.replace("x86_64", "aarch64")).body()).isEqualTo("[]");
    }

    @Test
    void tableHasAValidatorAndIsCompressed() throws Exception {
        HttpResponse<String> table = server.get(TRACKER);
        String etag = table.headers().firstValue("ETag").orElseThrow();
        assertThat(table.headers().firstValue("Cache-Control").orElseThrow()).contains("max-age=60");
        assertThat(server.get(TRACKER, "If-None-Match", etag).statusCode()).isEqualTo(304);

        HttpResponse<byte[]> compressed = server.file("GET", TRACKER, "Accept-Encoding", "gzip");
        assertThat(compressed.headers().firstValue("Content-Encoding")).contains("gzip");
        assertThat(compressed.headers().firstValue("ETag").orElseThrow()).isNotEqualTo(etag);
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(compressed.body()))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(table.body());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '`', textBlock = """
            []; body is an empty array
            {"a": {}}; a.fields is missing; expected an object
            {"a": {"fields": {"a.B": ["c"]}, "filds": 1}}; member "a.filds"
            {"a": {"fields": {"a.B": "c"}}}; a.fields.a.B is "c"; expected an array
            {"a": {"fields": {"a.B": ["c"]}, "versions": 5}}; a.versions is 5; expected a string
            {"a": {"fields": {"a.B": ["c"]}, "packages": "p"}}; expected an array of strings
            {"a": {"fields": {"a.B": ["c"]}, "packages": [5]}}; a.packages[0] is 5; expected a string
            {"a": {"fields": {"a.B": [1]}}}; expected a name such as
            {"a": {"fields": {"a.B": ["[x]c"]}}}; version "x"
            {"a": {"fields": {"B": ["c"]}}}; expected a type with the path of its package
            {"a": {"fields": {"a.B": ["c", "[1.0]c"]}}}; is there twice
            {"a": {"fields": {"a.B": ["c[0"]}}}; expected a name such as
            """)
    void malformedListsAreRefused(String list, String detail) {
        HttpResponse<String> answer = server.post(TRACKER, list);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(Json.of(answer).path("code").asString()).isEqualTo("bad_body");
        assertThat(Json.of(answer).path("detail").asString()).contains(detail);
    }

    @Test
    void tooManyMembersAreRefused() {
        StringBuilder fields = new StringBuilder("\"f\"");
        for (int i = 0; i < 500; i++) {
            fields.append(", \"f").append(i).append('"');
        }
        HttpResponse<String> answer = server.post(TRACKER, "{\"a\": {\"fields\": {\"a.B\": [" + fields + "]}}}");

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(413);
    }

    @ParameterizedTest
    @CsvSource({"/v1/exports/go/offsets.json", "/v1/exports/go/offset_results.json?machine="})
    void machineIsRequired(String path) {
        HttpResponse<String> answer = server.get(path);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(Json.of(answer).path("code").asString()).isEqualTo("bad_machine");
        assertThat(List.of(
                        server.get(TRACKER + "&limit=3").statusCode(),
                        server.get(TRACKER + "x").statusCode()))
                .containsExactly(400, 200);
    }
}
