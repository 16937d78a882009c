package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.symbol.SymbolTable;
import dev.offsetd.server.testkit.GdbFields;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.RealDebuginfod;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The main job on real input: elfutils' debuginfod over the C library's debug file, with gdb as the judge. */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LibcIntegrationTests {

    private static final String ARCHITECTURE = "amd64";

    @TempDir
    private static Path folder;

    private static Path debugFile;
    private static BuildId id;
    private static RealDebuginfod debuginfod;
    private static TestDatabase database;
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        debugFile = DebianPackages.largestDebugFile("libc6-dbg", ARCHITECTURE);
        id = DebugInfo.read(debugFile, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::buildId)
                .orElseThrow();
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.copy(debugFile, served.resolve("libc.debug"));
        debuginfod = RealDebuginfod.over(served, 1, folder);
        database = TestDatabase.create();
        server = another("data");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (debuginfod != null) {
            debuginfod.close();
        }
    }

    @Test
    @Order(1)
    @ChecklistRow({11, 12})
    void hundredFirstRequestsToEachOfThreeServersAreOneDownloadAndEqualAnswers() throws Exception {
        List<String> bodies = new ArrayList<>();
        try (TestServer second = another("second");
                TestServer third = another("third");
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<HttpResponse<String>>> calls = new ArrayList<>();
            for (TestServer each : List.of(server, second, third)) {
                for (int i = 0; i < 100; i++) {
                    calls.add(() -> each.offsets(id, "malloc_state,pthread.tid", "Prefer", "wait=30"));
                }
            }
            for (Future<HttpResponse<String>> call : threads.invokeAll(calls)) {
                assertThat(call.get().statusCode()).as(call.get().body()).isEqualTo(200);
                bodies.add(call.get().body());
            }
        }
        assertThat(bodies).hasSize(300);
        assertThat(bodies.stream().distinct()).hasSize(1);
        assertThat(debuginfod.requests()).isEqualTo(1);
        assertThat(debuginfod.downloads()).isEqualTo(1);
    }

    private static TestServer another(String name) {
        return TestServer.start(folder.resolve(name), database, "offsetd.upstreams.urls=" + debuginfod.url());
    }

    @Test
    @Order(2)
    void symbolsAreStoredBesideTheTypes() throws Exception {
        byte[] blob = database.jdbc()
                .sql("select blob from symbol_tables where build_id = :id")
                .param("id", id.toBytes())
                .query((row, number) -> row.getBytes(1))
                .single();
        StoredSymbols stored = StoredSymbols.of(blob);
        SymbolReport report = DebugInfo.read(debugFile, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::symbolTables);
        StoredSymbols inFile = StoredSymbols.of(SymbolTable.of(report));
        assertThat(stored.count()).isEqualTo(inFile.count()).isGreaterThan(1_000);
        assertThat(stored.find(SymbolPattern.of("main_arena")))
                .hasSize(1)
                .isEqualTo(inFile.find(SymbolPattern.of("main_arena")));
    }

    @Test
    @Order(2)
    void symbolsAndThreadLocalStorageAreItemsBesideTypes() throws Exception {
        SymbolReport report = DebugInfo.read(debugFile, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::symbolTables);
        StoredSymbols inFile = StoredSymbols.of(SymbolTable.of(report));
        Symbol arena = inFile.find(SymbolPattern.of("main_arena")).getFirst();

        JsonNode offsets = Json.of(server.offsets(id, "symbol nope|symbol main_ar*,tls,pthread.tid,symbol malloc*"))
                .path("offsets");

        JsonNode found = offsets.path("symbol nope|symbol main_ar*");
        assertThat(found.path("matched").asString()).isEqualTo("symbol main_ar*");
        assertThat(found.at("/symbols/0/value").asString()).isEqualTo("0x" + Long.toHexString(arena.value()));
        assertThat(found.at("/symbols/0/size").asLong()).isEqualTo(arena.size());
        assertThat(offsets.at("/tls/tls/memorySize").asLong())
                .isEqualTo(Objects.requireNonNull(report.tls()).memorySize());
        assertThat(offsets.at("/pthread.tid/status").asString()).isEqualTo("found");
        assertThat(offsets.at("/symbol malloc*/symbols").size())
                .isEqualTo(inFile.find(SymbolPattern.of("malloc*")).size());
    }

    @ParameterizedTest
    @Order(2)
    @CsvSource({"malloc_state", "pthread", "link_map", "rtld_global_ro", "_IO_FILE"})
    void fieldsAreWhereGdbFindsThem(String struct) throws Exception {
        HttpResponse<String> response = server.offsets(id, "struct " + struct, "Prefer", "wait=30");
        new GdbFields()
                .type("struct " + struct, Json.item(response, "struct " + struct))
                .assertAgree(debugFile);
    }

    @Test
    @Order(3)
    void anotherTypeListMakesNoSecondDownload() throws Exception {
        HttpResponse<String> response =
                server.offsets(id, "link_map.l_tls_modid,struct tcache_perthread_struct,size_t");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Json.of(response).path("complete").asBoolean())
                .as(response.body())
                .isTrue();
        assertThat(Json.item(response, "size_t").path("type").asString()).isEqualTo("long unsigned int");
        assertThat(debuginfod.downloads()).isEqualTo(1);
        assertThat(debuginfod.requests()).isEqualTo(1);
    }

    @ParameterizedTest
    @Order(3)
    @CsvSource({"fields", "members", "flat"})
    void everyViewOfEveryKindKeepsTheContract(String view) {
        String items = "link_map,struct pthread,union sigval,_IO_FILE,size_t,enumerator PTHREAD_MUTEX_NORMAL,"
                + "link_map.l_name.x,link_map.nope,nope,pthread.tid|nope,enum dl_error_codes,@ruby,"
                + "link_map.l_info[99]";
        HttpResponse<String> response =
                server.get("/v1/offsets/" + id + "?view=" + view + "&types=" + TestServer.escape(items));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Json.of(response).path("offsets").has("link_map")).isTrue();
        assertThat(Json.item(response, "link_map.l_name.x").path("status").asString())
                .isEqualTo("crosses_pointer");
    }

    @Test
    @Order(4)
    void buildThatTheDebuginfodDoesNotHaveIsNotFound() {
        HttpResponse<String> response = server.offsets("ab".repeat(20), "malloc_state", "Prefer", "wait=30");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(Json.of(response).path("checked").get(0).path("source").asString())
                .isEqualTo(debuginfod.url());
    }

    @Test
    @Order(5)
    void knownBuildAnswersWithoutTheDebuginfod() {
        debuginfod.close();
        HttpResponse<String> response = server.offsets(id, "malloc_chunk,struct rtld_global._dl_ns");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Json.of(response).path("complete").asBoolean())
                .as(response.body())
                .isTrue();
    }
}
