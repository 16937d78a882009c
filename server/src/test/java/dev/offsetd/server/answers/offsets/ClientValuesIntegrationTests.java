package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The calls of the client libraries, through the same program in each language, which prints the same. */
@Timeout(300)
class ClientValuesIntegrationTests {

    private static final Path PROBES =
            Path.of("src", "test", "resources", "clients").toAbsolutePath();

    private static final String BUILD = "ab".repeat(20);

    private static final String SOURCE = """
            struct point { int x, y; } point;
            struct flags { unsigned mode : 3, during_gc : 1; } flags;
            enum ids { LAST_ID = 170, NEGATIVE = -3 } ids;
            enum wide { LOWEST = -0x7fffffffffffffff } wide;
            __thread struct point *current;
            int used(void) { return point.y + flags.mode + current->x + (int) ids + (int) wide; }
            """;

    private static final String SET = """
            {"title": "Points",
             "items": [{"item": "point.y"}, {"item": "enumerator LAST_ID"},
                       {"item": "point.z", "need": "optional"},
                       {"group": "start", "oneOf": [["symbol current", "tls"], ["symbol start"]]}],
             "maps": {"agent": {"title": "Table of an agent",
               "names": {"point_y": {"offset": "point.y"}, "last_id": {"value": "enumerator LAST_ID"},
                         "point_z": {"offset": "point.z"}}},
                       "plans": {"title": "Ways to values",
               "names": {"current_y": {"plan": "current->y"}, "mode": {"plan": "flags.mode"}}}}}
            """;

    @TempDir
    private static Path folder;

    private static final Map<ExampleClient, RequiredTool> BUILT = new EnumMap<>(ExampleClient.class);

    private static TestServer server;
    private static Path program;

    private ServerProxy proxy;

    @TempDir
    private Path scratch;

    @BeforeAll
    static void start() throws Exception {
        program = folder.resolve("program.so");
        Path source = Files.writeString(folder.resolve("program.c"), SOURCE);
        RequiredTool.require("gcc")
                .output("-g", "-shared", "-fPIC", "-Wl,--build-id=0x" + BUILD, "-o", program, source);
        server = TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true");
        Publisher publisher = Publisher.of(server, "ci");
        publisher.put(server, BUILD, Files.readAllBytes(program));
        publisher.put(server, SmallBuild.debugFile());
        String admin = server.bean(Tokens.class)
                .create("admin", Set.of(Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                .text();
        assertThat(server.send(
                                "PUT",
                                "/v1/type-sets/points",
                                BodyPublishers.ofString(SET),
                                "Authorization",
                                "Bearer " + admin,
                                "Content-Type",
                                "application/json")
                        .statusCode())
                .isEqualTo(201);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void startProxy() throws IOException {
        proxy = new ServerProxy(server);
    }

    @AfterEach
    void stopProxy() {
        proxy.close();
    }

    private static RequiredTool probe(ExampleClient client) throws IOException {
        RequiredTool built = BUILT.get(client);
        if (built == null) {
            built = build(client, folder.resolve(client + "-probe"));
            BUILT.put(client, built);
        }
        return built;
    }

    private static RequiredTool build(ExampleClient client, Path built) throws IOException {
        return switch (client) {
            case GO -> {
                ExampleClient.module(folder.resolve("go"), Files.readString(PROBES.resolve("probe.go")));
                ExampleClient.go().outputIn(folder.resolve("go"), "vet", ".");
                ExampleClient.go().outputIn(folder.resolve("go"), "build", "-o", built, ".");
                yield RequiredTool.at(built);
            }
            case C ->
                ExampleClient.compiled(
                        PROBES.resolve("probe.c"),
                        built,
                        "-g",
                        "-fsanitize=address,undefined",
                        "-fno-sanitize-recover");
            default -> {
                RequiredTool python = ExampleClient.python();
                Files.writeString(
                        built, "#!/bin/sh\nexec %s %s \"$@\"\n".formatted(python.path(), PROBES.resolve("probe.py")));
                RequiredTool tool = RequiredTool.at(CommandLine.executable(built));
                for (Map.Entry<String, String> variable : python.environment().entrySet()) {
                    tool = tool.with(variable.getKey(), variable.getValue());
                }
                yield tool;
            }
        };
    }

    /** Runs a query, or a batch of several, that may wait for a second. */
    private List<String> run(ExampleClient client, String url, String... queries) throws IOException {
        return run(client, url, 1, "-", queries);
    }

    private List<String> run(ExampleClient client, String url, double wait, Object table, String... queries)
            throws IOException {
        List<Object> arguments = new ArrayList<>(List.of(url, scratch.resolve("cache"), wait, table));
        arguments.addAll(List.of(queries));
        return probe(client).output(arguments.toArray()).lines().toList();
    }

    /** Returns a URL on which no server listens. */
    private static String nowhere() throws IOException {
        return "http://127.0.0.1:" + FreePort.any();
    }

    private static String query(Object key, String items) {
        return key + ";" + items + ";;;;";
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void valuesHaveTheTypesOfTheirItems(ExampleClient client) throws Exception {
        assertThat(run(
                        client,
                        proxy.url(),
                        BUILD + ";point.y&point&flags.mode&flags.during_gc&enumerator LAST_ID&enumerator NEGATIVE"
                                + "&enumerator LOWEST&symbol current&symbol curren?&tls&@points"
                                + ";point.z&symbol none&none;;;"))
                .containsExactly(
                        "server x86_64 current",
                        "point.y: offset 4 size 4",
                        "point: offset 0 size 8",
                        // 0x5a has the bits 010, 1 and 0101 from its lowest, and 0101, 1 and 010 from its highest.
                        "flags.mode: bits 0 1 0 3 2 2",
                        "flags.during_gc: bits 0 1 3 1 1 1",
                        "enumerator LAST_ID: number 170",
                        "enumerator NEGATIVE: number -3",
                        "enumerator LOWEST: number -9223372036854775807",
                        "symbol current: symbols 0: current TLS GLOBAL 8 .tbss 0 0",
                        "symbol curren?: symbols 0: current TLS GLOBAL 8 .tbss 0 0",
                        "tls: tls 0 8 8",
                        "@points: coverage 3/3 0/1",
                        "point.z: field_not_found, not covered",
                        "symbol none: type_not_found, not covered",
                        "none: type_not_found, not covered");
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void answerHasEveryRequiredItemOrThereIsNone(ExampleClient client) throws Exception {
        assertThat(run(client, proxy.url(), query(BUILD, "point.y&point.z&none")))
                .containsExactly(
                        "not covered, status 0, code -, retry after -1",
                        "the build lacks point.z (field_not_found), none (type_not_found)");
        assertThat(run(client, proxy.url(), query(SmallBuild.ID, "@points")))
                .containsExactly(
                        "not covered, status 0, code -, retry after -1",
                        "the build lacks enumerator LAST_ID (type_not_found), start");
        assertThat(run(client, proxy.url(), SmallBuild.ID + ";point.y;@points;;;"))
                .containsExactly(
                        "server x86_64 current", "point.y: offset 4 size 4", "@points: coverage 1/3 0/1, not covered");
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void nameMapGivesEveryRequiredNameOrNone(ExampleClient client) throws Exception {
        assertThat(run(client, proxy.url(), BUILD + ";@points;point_z;agent;;point_y&last_id&point_z"))
                .containsExactly(
                        "server x86_64 current",
                        "point_y: number 4",
                        "last_id: number 170",
                        "point_z: field_not_found, not covered");
        assertThat(run(client, proxy.url(), BUILD + ";@points;;agent;;"))
                .containsExactly(
                        "not covered, status 0, code -, retry after -1", "the build lacks point_z (field_not_found)");
        assertThat(run(client, proxy.url(), BUILD + ";@points;;none;;"))
                .containsExactly("bad request, status 400, code unknown_map, retry after -1");
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void namesOfANameMapMayBePlans(ExampleClient client) throws Exception {
        assertThat(run(client, proxy.url(), BUILD + ";@points;;plans;;current_y"))
                .containsExactly("server x86_64 current", "current_y: plan current 4: 0 *8 4");
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void queriesOfABatchHaveTheirOwnResults(ExampleClient client) throws Exception {
        String[] queries = {
            query(BUILD, "point.y"),
            BUILD + ";@points;point_z;agent;;last_id",
            query("ff".repeat(20), "point.y"),
            query(SmallBuild.ID, "a..b"),
            query("0123", "point.y"),
            query(SmallBuild.ID, "point.y&point.z")
        };
        String[] failures = {
            "bad request, status 400, code bad_item, retry after -1",
            "bad request, status 0, code -, retry after -1",
            "not covered, status 0, code -, retry after -1",
            "the build lacks point.z (field_not_found)"
        };
        List<String> first = run(client, proxy.url(), queries);
        assertThat(first.subList(0, 4))
                .containsExactly(
                        "server x86_64 current",
                        "point.y: offset 4 size 4",
                        "server x86_64 current",
                        "last_id: number 170");
        assertThat(first.get(4)).matches("no build, status 404, code build_not_found, retry after \\d+");
        assertThat(first.subList(5, first.size())).containsExactly(failures);
        assertThat(run(client, proxy.url(), queries).subList(0, 4))
                .containsExactly(
                        "revalidated x86_64 current",
                        "point.y: offset 4 size 4",
                        "revalidated x86_64 current",
                        "last_id: number 170");
        assertThat(proxy.statuses()).containsExactly(200, 200);
        // Batches and single queries share the cache.
        assertThat(run(client, proxy.url(), queries[0])).contains("revalidated x86_64 current");
        assertThat(run(client, nowhere(), 3600, "-", queries))
                .startsWith("unreachable, status 0, code -, retry after -1", "cache x86_64 stale");
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void batchMayHaveMoreQueriesThanARequest(ExampleClient client) throws Exception {
        String[] queries = new String[120];
        Arrays.fill(queries, query(BUILD, "point.y"));
        assertThat(run(client, proxy.url(), queries))
                .hasSize(240)
                .containsOnly("server x86_64 current", "point.y: offset 4 size 4");
        assertThat(proxy.statuses()).containsExactly(200, 200, 200);
    }

    /** A batch of more than 50 queries takes two requests. */
    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void failedSourceDoesNotStopFurtherRequestsAsABusyServerDoes(ExampleClient client) throws Exception {
        String[] queries = new String[60];
        Arrays.fill(queries, query(BUILD, "point.y"));
        proxy.answer(new MockResponse.Builder()
                .code(503)
                .setHeader("Retry-After", "30")
                .body("{\"code\": \"busy\"}")
                .build());
        assertThat(run(client, proxy.url(), queries))
                .hasSize(60)
                .allSatisfy(line -> assertThat(line).startsWith("unavailable, status 503, code busy, retry after "));
        for (String code : List.of("upstream_broken", "upstream_silent")) {
            int status = code.equals("upstream_silent") ? 504 : 502;
            proxy.answer(new MockResponse.Builder()
                    .code(status)
                    .setHeader("Retry-After", "30")
                    .body("{\"code\": \"%s\"}".formatted(code))
                    .build());
            assertThat(run(client, proxy.url(), queries))
                    .contains("unavailable, status %d, code %s, retry after 30".formatted(status, code))
                    .contains("point.y: offset 4 size 4");
        }
        assertThat(proxy.statuses()).containsExactly(503, 502, 200, 504, 200);
    }

    /** A call takes no longer than it promises, which is here 2 s for the responses. */
    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void requestsOfABatchShareItsTime(ExampleClient client) throws Exception {
        String missing = "{\"status\": 404, \"problem\": {\"code\": \"build_not_found\"}}";
        int delay = 200;
        for (int queries : List.of(50, 50, 20)) {
            proxy.answer(new MockResponse.Builder()
                    .body("{\"answers\": [" + String.join(", ", Collections.nCopies(queries, missing)) + "]}")
                    .headersDelay(delay, TimeUnit.MILLISECONDS)
                    .build());
            // The second response alone is in time; after the first it is not.
            delay = 1900;
        }
        String[] queries = new String[120];
        Arrays.fill(queries, query(BUILD, "point.y"));

        List<String> found = run(client, proxy.url(), 0.01, "-", queries);

        assertThat(found).hasSize(120);
        assertThat(found.subList(0, 50)).containsOnly("no build, status 404, code build_not_found, retry after -1");
        assertThat(found.subList(50, 120))
                .allSatisfy(line -> assertThat(line).startsWith("unreachable, status 0, code -, retry after "));
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void queryOfABatchThatIsBeingFetchedIsAskedForAgain(ExampleClient client) throws Exception {
        proxy.answer(new MockResponse.Builder()
                .body(
                        "{\"answers\": [{\"buildId\": \"%s\", \"status\": 202, \"retryAfter\": 0}, {\"buildId\": null, \"status\": 503}]}"
                                .formatted(BUILD))
                .build());
        assertThat(run(client, proxy.url(), query(BUILD, "point.y"), query(SmallBuild.ID, "point.y")))
                .containsExactly(
                        "server x86_64 current",
                        "point.y: offset 4 size 4",
                        "unavailable, status 503, code -, retry after -1");
        assertThat(proxy.statuses()).containsExactly(200, 200);
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void reasonsOfFailuresAreToldApart(ExampleClient client) throws Exception {
        String query = query(BUILD, "point.y");
        List<String> found = new ArrayList<>();
        for (String response : List.of(
                "202 2 {}",
                "404 7 {\"code\": \"build_not_found\", \"detail\": \"none of the 2 sources has this build\"}",
                "404 7 {\"code\": \"build_not_found\", \"cause\": \"incomplete\"}",
                "404 - <html>404 page not found</html>",
                "404 - {\"code\": \"no_such_resource\"}",
                "401 - {\"code\": \"token_required\"}",
                "403 - {\"code\": \"insufficient_scope\"}",
                "409 - {\"code\": \"build_id_not_unique\"}",
                "422 - {\"code\": \"no_debuginfo\", \"retryAfter\": 9}",
                "400 - {\"code\": \"bad_item\"}",
                "413 - <html>413 Request Entity Too Large</html>",
                "429 30 {\"code\": \"rate_limited\"}",
                "502 30 {\"code\": \"upstream_broken\"}",
                "503 30 <html>503 Service Unavailable</html>",
                "302 - ",
                "200 - <html>Log in</html>",
                "200 - {\"schemaVersion\": 1, \"buildId\": \"00\", \"complete\": true, \"offsets\": {}}")) {
            String[] parts = response.split(" ", 3);
            MockResponse.Builder builder =
                    new MockResponse.Builder().code(Integer.parseInt(parts[0])).body(parts[2]);
            if (!parts[1].equals("-")) {
                builder.setHeader("Retry-After", parts[1]);
            }
            proxy.answer(builder.build());
            found.addAll(run(client, proxy.url(), query));
        }
        found.addAll(run(client, nowhere(), query));
        assertThat(found)
                .containsExactly(
                        "fetching, status 202, code -, retry after 2",
                        "no build, status 404, code build_not_found, retry after 7",
                        "unavailable, status 404, code build_not_found, retry after 7",
                        "unexpected, status 404, code -, retry after -1",
                        "unexpected, status 404, code no_such_resource, retry after -1",
                        "refused, status 401, code token_required, retry after -1",
                        "refused, status 403, code insufficient_scope, retry after -1",
                        "unusable, status 409, code build_id_not_unique, retry after -1",
                        "unusable, status 422, code no_debuginfo, retry after 9",
                        "bad request, status 400, code bad_item, retry after -1",
                        "unexpected, status 413, code -, retry after -1",
                        "unavailable, status 429, code rate_limited, retry after 30",
                        "unavailable, status 502, code upstream_broken, retry after 30",
                        "unavailable, status 503, code -, retry after 30",
                        "unexpected, status 302, code -, retry after -1",
                        "unexpected, status 200, code -, retry after -1",
                        "unexpected, status 200, code -, retry after -1",
                        "unreachable, status 0, code -, retry after -1");
        assertThat(scratch.resolve("cache")).doesNotExist();
    }

    /** A client that retried would do so for an hour. */
    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void refusedConnectionAnswersFromTheCacheOrTheTableAtOnce(ExampleClient client) throws Exception {
        String query = query(BUILD, "point.y");
        run(client, proxy.url(), query);
        String nowhere = nowhere();
        List<String> cached = List.of(
                "unreachable, status 0, code -, retry after -1", "cache x86_64 stale", "point.y: offset 4 size 4");
        assertThat(run(client, nowhere, 3600, "-", query)).isEqualTo(cached);
        assertThat(run(client, nowhere, 3600, "-", query(SmallBuild.ID, "point.y")))
                .containsExactly("unreachable, status 0, code -, retry after -1");
        assertThat(run(
                        client,
                        nowhere,
                        3600,
                        table("ruby 3.1.2 x86_64", "x86_64", "{\"point\": [0, 8]}"),
                        SmallBuild.ID + ";point;;;ruby 3.1.2 x86_64;"))
                .containsExactly(
                        "unreachable, status 0, code -, retry after -1",
                        "fallback x86_64 current",
                        "point: offset 0 size 8");
        // A busy server is not waited for either if the cache has an answer.
        proxy.answer(new MockResponse.Builder()
                .code(503)
                .setHeader("Retry-After", "3")
                .build());
        assertThat(run(client, proxy.url(), 3600, "-", query)).contains("cache x86_64 stale");
        proxy.answer(new MockResponse.Builder()
                .code(202)
                .setHeader("Retry-After", "3")
                .build());
        assertThat(run(client, proxy.url(), 3600, "-", query)).contains("cache x86_64 stale");
        assertThat(proxy.statuses()).containsExactly(200, 503, 202);
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void cacheSurvivesAChangeOfTheServersName(ExampleClient client) throws Exception {
        String query = query(BUILD, "point.y");
        assertThat(run(client, proxy.url(), query)).contains("server x86_64 current");
        assertThat(run(client, server.url(), query)).contains("revalidated x86_64 current");
        assertThat(run(client, nowhere(), query)).contains("cache x86_64 stale");
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void wrongUrlIsRefusedWhenTheClientIsMade(ExampleClient client) throws Exception {
        for (String url : List.of(
                "",
                "localhost:8080",
                "ftp://example.org",
                "http://",
                "http://:8080",
                "http://user:secret@example.org",
                "http://example.org:99999",
                "http://example.org:port",
                "http://example.org/?a=b",
                "http://example.org/#a",
                "http://example .org")) {
            assertThatThrownBy(() -> run(client, url))
                    .as(url)
                    .hasMessageContaining("refused: server")
                    .hasMessageContaining("expected http:// or https://, a host, and a port or path if there is one");
        }
        for (String url : List.of("https://example.org/offsets/", "http://[::1]:8080", "HTTP://example.org")) {
            assertThat(run(client, url)).as(url).isEmpty();
        }
    }

    private Path table(String name, String machine, String offsets) throws IOException {
        return Files.writeString(scratch.resolve("table"), """
                {"%s": {"schemaVersion": 1, "buildId": "%s", "arch": {"machine": "%s"}, "offsets": %s}}
                """.formatted(name, BUILD, machine, offsets));
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void fallbackIsOfTheBuildOrOfTheSameRuntimeVersionAndMachine(ExampleClient client) throws Exception {
        String nowhere = nowhere();
        Path table = table("ruby 3.1.2 x86_64", "x86_64", "{\"point\": [0, 8], \"point.y\": [4, 4]}");
        for (String program :
                List.of("ruby 3.1.2 x86_64", "ruby 3.1.2 aarch64", "ruby 3.1.3 x86_64", "php 3.1.2 x86_64", "")) {
            List<String> found = run(client, nowhere, 1, table, SmallBuild.ID + ";point&point.y;;;" + program + ";");
            assertThat(found.contains("fallback x86_64 current"))
                    .as(program)
                    .isEqualTo(program.equals("ruby 3.1.2 x86_64"));
        }
        // All or nothing: the entry lacks an item.
        assertThat(run(client, nowhere, 1, table, SmallBuild.ID + ";point&point.z;;;ruby 3.1.2 x86_64;"))
                .containsExactly("unreachable, status 0, code -, retry after -1");
        table(BUILD, "x86_64", "{\"point\": [0, 8]}");
        assertThat(run(client, nowhere, 1, table, query(BUILD, "point"))).contains("fallback x86_64 current");
        assertThat(run(client, nowhere, 1, table, query(SmallBuild.ID, "point")))
                .doesNotContain("fallback x86_64 current");
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void fallbackStandsInForWhatIsHiddenButNotForWhatTheBuildLacks(ExampleClient client) throws Exception {
        Path table = table("ruby 3.1.2 x86_64", "x86_64", "{\"a\": [0, 8], \"b\": [16, 4]}");
        for (String status :
                List.of("no_debuginfo", "not_in_binary", "ambiguous", "type_not_found", "field_not_found")) {
            proxy.answer(new MockResponse.Builder()
                    .body("""
                            {"schemaVersion": 1, "buildId": "%s", "complete": false,
                             "offsets": {"a": [8, 8], "b": {"status": "%s"}}}""".formatted(BUILD, status))
                    .build());
            List<String> found = run(client, proxy.url(), 1, table, BUILD + ";a&b;;;ruby 3.1.2 x86_64;");
            assertThat(found)
                    .startsWith("not covered, status 0, code -, retry after -1", "the build lacks b (" + status + ")");
            assertThat(found.subList(2, found.size()))
                    .as(status)
                    .isEqualTo(
                            status.endsWith("_not_found")
                                    ? List.of()
                                    : List.of("fallback x86_64 current", "a: offset 0 size 8", "b: offset 16 size 4"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void fallbackThatCannotHoldForAllBuildsOfItsNameIsRefused(ExampleClient client) throws Exception {
        String symbol = "{\"symbol s\": {\"status\": \"found\", \"kind\": \"symbol\", \"symbols\": [{\"name\": \"s\", "
                + "\"version\": null, \"value\": \"0x10\", \"size\": 8, \"type\": \"OBJECT\", \"binding\": \"GLOBAL\", "
                + "\"section\": \".bss\", \"imported\": false}]}}";
        String tls = "{\"tls\": {\"status\": \"found\", \"kind\": \"tls\", "
                + "\"tls\": {\"address\": \"0x10\", \"memorySize\": 8, \"alignment\": 8}}}";
        assertRefused(
                client, table("ruby 3.4", "x86_64", "{}"), "expected a build-id, or runtime, version and machine");
        assertRefused(client, table("ruby 3.4.5 aarch64", "x86_64", "{}"), "is the answer for machine");
        assertRefused(client, table("cd".repeat(20), "x86_64", "{}"), "is the answer for");
        assertRefused(client, table("ruby 3.4.5 x86_64", "x86_64", symbol), "addresses differ between builds");
        assertRefused(client, table("ruby 3.4.5 x86_64", "x86_64", tls), "addresses differ between builds");
        Path mapped = Files.writeString(scratch.resolve("mapped"), """
                {"ruby 3.4.5 x86_64": {"schemaVersion": 1, "buildId": "%s", "arch": {"machine": "x86_64"},
                 "map": {"set": "ruby", "name": "agent"}, "offsets": {"currentCtxPtr": 1193046}}}
                """.formatted(BUILD));
        assertRefused(client, mapped, "has a name map");
        for (String mark : List.of("consensus", "pinned")) {
            Path marked = Files.writeString(scratch.resolve(mark), """
                    {"ruby 3.4.5 x86_64": {"schemaVersion": 1, "buildId": "%s", "arch": {"machine": "x86_64"},
                     "%s": {"a": {}}, "offsets": {"a": [8, 8]}}}
                    """.formatted(BUILD, mark));
            assertRefused(client, marked, mark.equals("pinned") ? "has pinned values" : "is a consensus");
        }
        assertThat(run(client, nowhere(), 1, table(BUILD, "x86_64", symbol))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void valuesThatALeftOutPartMayChangeAreMarked(ExampleClient client) throws Exception {
        proxy.answer(new MockResponse.Builder().body("""
                {"schemaVersion": 1, "buildId": "%s", "complete": true, "incompleteItems": ["a", "c.d"],
                 "offsets": {"a": [0, 8], "a.b": [4, 4], "ab": [0, 8], "c": [0, 8], "c.d": [4, 4]}}""".formatted(BUILD)).build());
        assertThat(run(client, proxy.url(), BUILD + ";a&a.b&ab&c&c.d;;;;"))
                .endsWith(
                        "a: offset 0 size 8, incomplete",
                        "a.b: offset 4 size 4, incomplete",
                        "ab: offset 0 size 8",
                        "c: offset 0 size 8",
                        "c.d: offset 4 size 4, incomplete");
    }

    private void assertRefused(ExampleClient client, Path table, String message) {
        assertThatThrownBy(() -> run(client, nowhere(), 1, table))
                .hasMessageContaining("refused: fallback")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void buildIdIsThatOfTheFile(ExampleClient client) throws Exception {
        // Without section headers, as some packers leave files: gABI, ELF64 header, e_shoff and e_shnum.
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(program)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(40, 0).putShort(60, (short) 0);
        Path withoutSections = Files.write(scratch.resolve("without-sections"), bytes.array());
        Path without = scratch.resolve("without");
        RequiredTool.require("objcopy").output("--remove-section=.note.gnu.build-id", program, without);
        Path debugFile = scratch.resolve("debug");
        RequiredTool.require("objcopy").output("--only-keep-debug", program, debugFile);
        Path small = Files.write(scratch.resolve("small"), SmallBuild.debugFile());
        String nowhere = nowhere();
        for (Path file : List.of(program, withoutSections, debugFile)) {
            assertThat(run(client, nowhere, query(file, "point"))).startsWith(BUILD);
        }
        assertThat(run(client, nowhere, query(small, "point"))).startsWith(SmallBuild.ID.toString());
        assertThat(run(client, nowhere, query(without, "point"))).containsExactly("no build-id");
        Path text = Files.writeString(scratch.resolve("text"), "not an ELF file".repeat(10));
        for (Path file : List.of(text, scratch.resolve("none"))) {
            assertThatThrownBy(() -> run(client, nowhere, query(file, "point"))).isInstanceOf(IOException.class);
        }
        byte[] whole = Files.readAllBytes(program);
        for (int length = 0; length < whole.length; length += 1 + length / 2) {
            Path cut = Files.write(scratch.resolve("cut"), Arrays.copyOf(whole, length));
            try {
                assertThat(run(client, nowhere, query(cut, "point")).getFirst()).isIn(BUILD, "no build-id");
            } catch (IOException e) {
                assertThat(e)
                        .hasMessageContaining("ended with 1")
                        .hasMessageNotContainingAny("panic", "Sanitizer", "struct.error");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void buildIdIsThatOfAMappedFileThatWasReplaced(ExampleClient client) throws Exception {
        Path file = Files.copy(program, scratch.resolve("mapped"));
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            String range = Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .filter(line -> line.endsWith(file.toString()))
                    .map(line -> line.substring(0, line.indexOf(' ')))
                    .findFirst()
                    .orElseThrow();
            Path place = Path.of("/proc/" + ProcessHandle.current().pid() + "/map_files/" + range);
            Files.delete(file);
            Files.writeString(file, "another file");
            if (!Files.isReadable(place)) {
                throw RequiredTool.unavailable("/proc/PID/map_files needs a capability");
            }
            assertThat(run(client, nowhere(), query(place, "point"))).startsWith(BUILD);
            assertThat(mapped.capacity()).isPositive();
        }
    }
}
