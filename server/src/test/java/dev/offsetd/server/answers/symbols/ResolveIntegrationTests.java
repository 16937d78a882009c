package dev.offsetd.server.answers.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.symbol.SymbolTable;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The dynamic loader of glibc 2.31, in which a debugger once found a lock 2,352 bytes into {@code _rtld_global}. */
@Timeout(120)
class ResolveIntegrationTests {

    @TempDir
    private static Path folder;

    private static BuildId loader;
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        Path packageFolder = DebianPackages.unpackedOfRelease("bullseye", "libc6-dbg", "amd64");
        loader = DebugInfo.read(loaderIn(packageFolder), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::buildId)
                .orElseThrow();
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + packageFolder.resolve("usr/lib/debug"));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static Path loaderIn(Path packageFolder) throws IOException, ExtractionException {
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        try (Stream<Path> files = Files.walk(packageFolder)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".debug"))
                    .filter(Files::isRegularFile)
                    .toList()) {
                if (Files.size(file) > 100_000
                        && StoredSymbols.of(SymbolTable.of(DebugInfo.read(file, options, DebugInfo::symbolTables)))
                                .find(SymbolPattern.of("_rtld_global"))
                                .stream()
                                .anyMatch(symbol -> !symbol.isImported())) {
                    return file;
                }
            }
        }
        throw new AssertionError("no debug file below " + packageFolder + " has _rtld_global");
    }

    private static JsonNode resolved(String query) {
        HttpResponse<String> response = server.get("/v1/resolve/" + loader + "?expr=" + query, "Prefer", "wait=30");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "_rtld_global+2352",
                "_rtld_global%2B2352",
                "_rtld_global%202352",
                "_rtld_global+0x930",
                "_rtld_local+2352",
                "_rtld_global+2352&lang=c"
            })
    void byteOfTheLoadersStateIsTheFirstWordOfItsLock(String query) {
        JsonNode answer = resolved(query);
        assertThat(answer.path("status").asString()).as(answer.toString()).isEqualTo("found");
        assertThat(answer.path("offset").asInt()).isEqualTo(2352);
        List<JsonNode> steps = new ArrayList<>();
        for (JsonNode step = answer.path("root");
                !step.isMissingNode();
                step = step.path("contents").path(0)) {
            // The mutex is a union; the struct in it comes first.
            steps.add(step);
        }
        assertThat(steps.stream().skip(1).map(step -> step.path("name").asString()))
                .containsExactly("_dl_load_write_lock", "mutex", "__data", "__lock");
        assertThat(steps.get(1).path("size").asInt()).isEqualTo(40);
        assertThat(steps.get(1).path("offset").asInt()).isEqualTo(2352);
        JsonNode step = steps.getLast();
        assertThat(step.path("size").asInt()).isEqualTo(4);
        assertThat(step.path("byteInside").asInt()).isZero();
        assertThat(answer.path("provenance").path("p1").path("origin").asString())
                .isEqualTo("local");
    }

    @Test
    void answerIsForCachesWhileItIsFound() {
        HttpResponse<String> found = server.get("/v1/resolve/" + loader + "?expr=link_map+8");
        String etag = found.headers().firstValue("ETag").orElseThrow();
        assertThat(found.headers().firstValue("Cache-Control"))
                .hasValue("public, max-age=60, stale-while-revalidate=300");
        assertThat(server.get("/v1/resolve/" + loader + "?expr=link_map+8", "If-None-Match", etag)
                        .statusCode())
                .isEqualTo(304);
        HttpResponse<String> missed = server.get("/v1/resolve/" + loader + "?expr=nobody+8");
        assertThat(Json.of(missed).path("status").asString()).isEqualTo("not_found");
        assertThat(missed.headers().firstValue("Cache-Control")).hasValue("public, max-age=10");
    }

    @Test
    void missingNameHasADistinctStatus() {
        assertThat(resolved("_rtld_global+100000").path("status").asString()).isEqualTo("past_end");
        assertThat(resolved("nobody").path("status").asString()).isEqualTo("not_found");
        assertThat(resolved("struct%20_rtld_global").path("status").asString()).isEqualTo("not_found");
        assertThat(resolved("struct%20rtld_global+2352").path("status").asString())
                .isEqualTo("found");
        assertThat(resolved("link_map&lang=rust").path("status").asString()).isEqualTo("not_found");
    }
}
