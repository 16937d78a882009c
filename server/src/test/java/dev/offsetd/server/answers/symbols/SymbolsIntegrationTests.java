package dev.offsetd.server.answers.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Symbols of the C library's debug file and of small compiled files, with binutils and elfutils as the judges. */
@Timeout(120)
class SymbolsIntegrationTests {

    private static final int SEED = 20_261_121;

    @TempDir
    private static Path folder;

    private static Path libc;
    private static BuildId libcId;
    private static Path library;
    private static BuildId libraryId;
    private static BuildId relocatableId;
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        libc = DebianPackages.largestDebugFile("libc6-dbg", "amd64");
        libcId = putInto(libc);
        Path source = Files.writeString(folder.resolve("library.c"), """
                #include <stdio.h>
                __thread int of_thread = 7;
                static int hidden(int a) { return a + of_thread; }
                int shown(int a) { puts("x"); return hidden(a); }
                extern int same(int a) __attribute__((alias("shown")));
                """);
        library = folder.resolve("library.so");
        RequiredTool gcc = RequiredTool.require("gcc");
        gcc.output("-g", "-O0", "-fPIC", "-shared", "-Wl,--build-id=sha1", source, "-o", library);
        libraryId = putInto(library);
        // A compiler gives object files no build-id; kernel modules, which are object files too, have one.
        Path note = Files.writeString(folder.resolve("module.c"), """
                __attribute__((section(".note.gnu.build-id"), aligned(4), used))
                static const struct { int n, d, t; char name[4]; unsigned char id[8]; } note =
                    {4, 8, 3, "GNU", {1, 2, 3, 4, 5, 6, 7, 8}};
                int in_module(void) { return note.n; }
                """);
        Path module = folder.resolve("module.o");
        gcc.output("-g", "-c", note, "-o", module);
        relocatableId = putInto(module);
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
        // On a busy machine its first reading may take longer than a request waits by default.
        assertThat(server.offsets(libcId, "malloc_state", "Prefer", "wait=30").statusCode())
                .isEqualTo(200);
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static BuildId putInto(Path file) throws Exception {
        BuildId id = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::buildId)
                .orElseThrow();
        String hex = id.toString();
        Path place =
                folder.resolve("debug/.build-id").resolve(hex.substring(0, 2)).resolve(hex.substring(2) + ".debug");
        Files.createDirectories(place.getParent());
        Files.copy(file, place);
        return id;
    }

    private static HttpResponse<String> names(BuildId id, String names, String... headers) {
        return server.get("/v1/symbols/" + id + "?names=" + TestServer.escape(names), headers);
    }

    private static HttpResponse<String> post(BuildId id, Map<String, List<String>> query) {
        return server.post(
                "/v1/symbols/" + id,
                JsonMapper.shared().writeValueAsString(query),
                "Content-Type",
                "application/json",
                "Prefer",
                "wait=30");
    }

    private static JsonNode answered(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response);
    }

    /** Address and size of every sized function that {@code nm} lists, by name. */
    private static Map<String, long[]> functions(Path file) throws Exception {
        Map<String, long[]> functions = new HashMap<>();
        for (String line : RequiredTool.require("nm")
                .output("-S", "--defined-only", file)
                .lines()
                .toList()) {
            List<String> columns = List.of(line.split(" ", -1));
            if (columns.size() == 4 && columns.get(2).matches("[tTwW]")) {
                functions.put(columns.get(3), new long[] {
                    Long.parseUnsignedLong(columns.get(0), 16), Long.parseUnsignedLong(columns.get(1), 16)
                });
            }
        }
        return functions;
    }

    @Test
    void thousandReturnAddressesAreWhereElfutilsSays() throws Exception {
        Map<String, long[]> functions = functions(libc);
        List<long[]> places = functions.values().stream()
                .filter(place -> place[1] > 1)
                .sorted((a, b) -> Long.compare(a[0], b[0]))
                .toList();
        Random random = new Random(SEED);
        Set<String> addresses = new TreeSet<>(Set.of(hex(functions.getOrDefault("malloc", new long[2])[0] + 287)));
        while (addresses.size() < 1_000) {
            long[] place = places.get(random.nextInt(places.size()));
            addresses.add(hex(place[0] + random.nextLong(place[1])));
        }
        List<String> asked = List.copyOf(addresses);
        JsonNode answer = answered(post(libcId, Map.of("addresses", asked)));

        assertThat(answer.path("complete").asBoolean()).isTrue();
        List<Object> arguments = new ArrayList<>(List.of("-S", "-e", libc));
        arguments.addAll(asked);
        List<String> said = RequiredTool.require("eu-addr2line")
                .output(arguments.toArray())
                .lines()
                .toList();
        // Two lines for each address, of which the first has the symbol; without an offset it is the symbol's start.
        assertThat(said).hasSize(2 * asked.size());
        for (int i = 0; i < asked.size(); i++) {
            JsonNode symbols = answer.path("addresses").path(asked.get(i)).path("symbols");
            Set<String> ours = symbols.valueStream()
                    .map(symbol -> symbol.path("name").asString()
                            + offset(symbol.path("offset").asLong()))
                    .collect(Collectors.toUnmodifiableSet());
            // It writes some names with their versions.
            assertThat(ours).as(asked.get(i)).contains(said.get(2 * i).replaceFirst("@+[^+]*", ""));
        }
    }

    private static String offset(long bytes) {
        return bytes == 0 ? "" : "+0x" + Long.toHexString(bytes);
    }

    private static String hex(long address) {
        return "0x" + Long.toHexString(address);
    }

    @Test
    void recordedReturnAddressOfMallocIsToldByItsPreferredName() throws Exception {
        String address = hex(functions(libc).getOrDefault("malloc", new long[2])[0] + 287);
        JsonNode at = answered(server.get("/v1/symbols/" + libcId + "?addresses=" + address))
                .path("addresses")
                .path(address);
        assertThat(at.path("status").asString()).isEqualTo("found");
        JsonNode preferred = at.path("symbols").get(0);
        assertThat(preferred.path("name").asString()).isEqualTo("malloc");
        assertThat(preferred.path("offset").asInt()).isEqualTo(287);
        assertThat(at.path("symbols")
                        .valueStream()
                        .map(symbol -> symbol.path("name").asString()))
                .contains("__libc_malloc");
    }

    @Test
    void patternFindsWhatNmLists() throws Exception {
        Set<String> listed = RequiredTool.require("nm")
                .output("-a", libc)
                .lines()
                .filter(line -> line.startsWith("mem", 19))
                .map(line -> hex(Long.parseUnsignedLong(line.substring(0, 16), 16)) + " " + line.substring(19))
                .collect(Collectors.toCollection(TreeSet::new));
        JsonNode found = answered(names(libcId, "mem*")).path("names").path("mem*");
        assertThat(found.path("symbols").valueStream().map(SymbolsIntegrationTests::asNmWritesIt))
                .hasSizeGreaterThan(20)
                .containsExactlyInAnyOrderElementsOf(listed);
    }

    private static String asNmWritesIt(JsonNode symbol) {
        String version = symbol.path("version").isNull()
                ? ""
                : (symbol.path("defaultVersion").asBoolean() ? "@@" : "@")
                        + symbol.path("version").asString();
        return symbol.path("value").asString() + " " + symbol.path("name").asString() + version;
    }

    @Test
    void importedSymbolsAreThereWithTheVersionThatReadelfTells() throws Exception {
        String imported = RequiredTool.require("readelf")
                .output("--dyn-syms", "-W", library)
                .lines()
                .filter(line -> line.contains(" UND puts@"))
                .findFirst()
                .orElseThrow();
        String version = imported.replaceAll(".* puts@([A-Z0-9_.]+).*", "$1");
        JsonNode answer = answered(names(libraryId, "puts,puts@" + version + ",p?ts@*,puts@NOBODYS_1.0,pu*@@*"));
        assertThat(answer.path("complete").asBoolean()).isFalse();
        for (String asked : List.of("puts", "puts@" + version, "p?ts@*")) {
            JsonNode symbol = answer.path("names").path(asked).path("symbols").get(0);
            assertThat(symbol.path("name").asString()).as(asked).isEqualTo("puts");
            assertThat(symbol.path("imported").asBoolean()).isTrue();
            assertThat(symbol.path("version").asString()).isEqualTo(version);
            assertThat(symbol.path("section").asString()).isEqualTo("UND");
        }
        for (String none : List.of("puts@NOBODYS_1.0", "pu*@@*")) {
            JsonNode entry = answer.path("names").path(none);
            assertThat(entry.path("status").asString()).as(none).isEqualTo("not_found");
            assertThat(entry.path("symbols").size()).isZero();
        }
    }

    @Test
    void aliasesAndThreadLocalVariablesAreThere() throws Exception {
        long[] shown = functions(library).getOrDefault("shown", new long[2]);
        String inside = hex(shown[0] + 3);
        JsonNode answer = answered(
                server.get("/v1/symbols/" + libraryId + "?names=of_thread,hidden&names=same&addresses=" + inside));
        assertThat(answer.path("complete").asBoolean()).isTrue();
        assertThat(symbols(answer.path("names").path("of_thread"), "type")).containsExactly("TLS");
        assertThat(symbols(answer.path("names").path("hidden"), "binding")).containsExactly("LOCAL");
        assertThat(symbols(answer.path("names").path("same"), "value")).containsOnly(hex(shown[0]));
        assertThat(symbols(answer.path("addresses").path(inside), "name")).containsExactly("same", "shown");
        String segment = RequiredTool.require("readelf")
                .output("-lW", library)
                .lines()
                .filter(line -> line.strip().startsWith("TLS "))
                .findFirst()
                .orElseThrow();
        List<String> columns = List.of(segment.strip().split(" +", -1));
        JsonNode tls = answer.path("tls");
        assertThat(Long.decode(tls.path("address").asString())).isEqualTo(Long.decode(columns.get(2)));
        assertThat(tls.path("memorySize").asLong()).isEqualTo(Long.decode(columns.get(5)));
        assertThat(tls.path("fileSize").asLong()).isEqualTo(Long.decode(columns.get(4)));
    }

    private static List<String> symbols(JsonNode entry, String property) {
        return entry.path("symbols")
                .valueStream()
                .map(symbol -> symbol.path(property).asString())
                .toList();
    }

    @Test
    void relocatableFileSaysThatItHasNoAddresses() {
        JsonNode answer = answered(server.get("/v1/symbols/" + relocatableId + "?names=in_module&addresses=0x0"));
        assertThat(answer.path("complete").asBoolean()).isFalse();
        assertThat(symbols(answer.path("names").path("in_module"), "type")).containsExactly("FUNC");
        assertThat(answer.path("addresses").path("0x0").path("detail").asString())
                .contains("relocatable");
    }

    @Test
    void addressOutsideOfEverythingHasNoSymbol() {
        JsonNode answer =
                answered(server.get("/v1/symbols/" + libcId + "?addresses=0xffffffffffffffff,0xfffffffffffffff0"));
        assertThat(answer.path("addresses").propertyNames())
                .containsExactly("0xffffffffffffffff", "0xfffffffffffffff0");
        answer.path("addresses")
                .forEach(entry -> assertThat(entry.path("status").asString()).isEqualTo("not_found"));
        assertThat(answer.path("complete").asBoolean()).isFalse();
    }

    @Test
    void whatIsTooMuchForOneAnswerIsCounted() {
        JsonNode answer = answered(post(libcId, Map.of("names", List.of("*", "malloc"))));
        JsonNode every = answer.path("names").path("*");
        assertThat(every.path("symbols").size()).isEqualTo(SymbolAnswers.SymbolAllowance.MAX_SYMBOLS - 1);
        assertThat(every.path("truncated").asBoolean()).isTrue();
        assertThat(every.path("total").asInt()).isGreaterThan(SymbolAnswers.SymbolAllowance.MAX_SYMBOLS);
        assertThat(symbols(answer.path("names").path("malloc"), "name")).containsExactly("malloc");
    }

    @Test
    void patternsThatAreTooMuchWorkTogetherAreRefused() {
        List<String> names = IntStream.range(0, 1_000).mapToObj(i -> "*@*V" + i).toList();
        HttpResponse<String> response = post(libcId, Map.of("names", names));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(413);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("search_too_large");
        assertThat(Json.of(response).path("limit").asLong()).isEqualTo(SymbolAnswers.MAX_STEPS);
    }

    @Test
    void familyHasWhatTheCompilerCutOff() throws Exception {
        String piece = RequiredTool.require("nm")
                .output(libc)
                .lines()
                .map(line -> line.substring(19))
                .filter(name -> name.endsWith(".cold"))
                .findFirst()
                .orElseThrow();
        String function = piece.substring(0, piece.indexOf('.'));
        String path = "/v1/symbols/" + libcId + "?names=" + function;
        assertThat(symbols(
                        answered(server.get(path + "&family=true"))
                                .path("names")
                                .path(function),
                        "name"))
                .contains(function, piece);
        assertThat(symbols(
                        answered(server.get(path + "&family=false"))
                                .path("names")
                                .path(function),
                        "name"))
                .doesNotContain(piece);
    }

    @Test
    void answerOfGetIsForCachesAndThatOfPostIsNot() {
        HttpResponse<String> get = names(libraryId, "shown");
        String etag = get.headers().firstValue("ETag").orElseThrow();
        assertThat(get.headers().firstValue("Cache-Control"))
                .hasValue("public, max-age=60, stale-while-revalidate=300");
        assertThat(get.headers().firstValue("Vary")).hasValue("Accept, Accept-Encoding");
        assertThat(names(libraryId, "shown", "If-None-Match", etag).statusCode())
                .isEqualTo(304);
        assertThat(server.head("/v1/symbols/" + libraryId + "?names=shown")
                        .headers()
                        .firstValue("ETag"))
                .hasValue(etag);
        assertThat(names(libraryId, "nobody").headers().firstValue("Cache-Control"))
                .hasValue("public, max-age=10");
        HttpResponse<String> post = post(libraryId, Map.of("names", List.of("shown")));
        assertThat(post.body()).isEqualTo(get.body());
        assertThat(post.headers().firstValue("Cache-Control")).hasValue("no-store");
        assertThat(post.headers().firstValue("ETag")).isEmpty();
    }

    @Test
    void cborSaysWhatJsonSays() {
        String path = "/v1/symbols/" + libraryId + "?names=shown&addresses=0x10";
        HttpResponse<byte[]> cbor = server.cbor("GET", path, BodyPublishers.noBody(), "Accept", "application/cbor");
        assertThat(cbor.headers().firstValue("Content-Type")).hasValue("application/cbor");
        assertThat(Cbor.of(cbor)).isEqualTo(answered(server.get(path)));
        String resolve = "/v1/resolve/" + libraryId + "?expr=of_thread";
        assertThat(Cbor.of(server.cbor("GET", resolve, BodyPublishers.noBody(), "Accept", "application/cbor")))
                .isEqualTo(answered(server.get(resolve)));
    }

    @Test
    void unknownBuildIsNotFound() {
        assertThat(names(SmallBuild.UNKNOWN_ID, "main").statusCode()).isEqualTo(404);
        assertThat(server.get("/v1/resolve/" + SmallBuild.UNKNOWN_ID + "?expr=main")
                        .statusCode())
                .isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "symbols -> missing_names -> neither names nor addresses",
                "symbols?family=true -> missing_names -> neither names nor addresses",
                "symbols?names= -> bad_name -> name 1 is \"\"",
                "symbols?names=a,,b -> bad_name -> name 2 is \"\"",
                "symbols?addresses=0x1,12 -> bad_address -> address 2 is \"12\"; expected 0x and 1 to 16 hex digits",
                "symbols?addresses=0x -> bad_address -> address 1 is \"0x\"",
                "symbols?addresses=0x12345678123456780 -> bad_address -> \"0x12345678123456780\"",
                "symbols?names=a&family=yes -> bad_family -> family is \"yes\"; expected true or false",
                "symbols?names=a&lang=c -> unknown_parameter -> \"lang\"",
                "symbols?names=a&family=true&family=true -> repeated_parameter -> family",
                "symbols?names=%ff -> bad_query -> not UTF-8",
                "resolve -> missing_expression -> expr is missing",
                "resolve?expr= -> bad_expression -> character 1",
                "resolve?expr=a+x -> bad_expression -> character 3",
                "resolve?expr=a-8 -> bad_expression -> character 2",
                "resolve?expr=a&expr=b -> repeated_parameter -> expr",
                "resolve?expr=a&lang=klingon -> bad_language -> \"klingon\""
            })
    void invalidQueryNamesTheErrorAndWhatIsExpected(String query, String code, String detail) {
        String[] parts = query.split("\\?", 2);
        HttpResponse<String> response =
                server.get("/v1/" + parts[0] + "/" + libraryId + (parts.length > 1 ? "?" + parts[1] : ""));
        assertProblem(response, 400, code, detail);
    }

    @Test
    void overlongPatternIsRefused() {
        HttpResponse<String> response = post(libraryId, Map.of("names", List.of("a", "x".repeat(2_000) + "*")));
        assertProblem(response, 400, "bad_name", "expected 1024 or fewer");
        assertThat(Json.of(response).path("itemNumber").asInt()).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "[] -> body is an empty array; expected an object",
                "{ -> line 1",
                "{\"names\": \"a\"} -> names is \"a\"; expected an array of strings",
                "{\"names\": [\"a\", 1e400]} -> names[1] is 1E+400; expected a string",
                "{\"adresses\": []} -> member \"adresses\"",
                "{\"addresses\": [null]} -> addresses[0] is null; expected a string",
                "{\"names\": [\"a\"], \"segments\": [{\"offset\": true}]} -> segments[0].offset is true; expected a number"
            })
    void malformedBodyNamesThePlace(String body, String detail) {
        assertProblem(
                server.post("/v1/symbols/" + libraryId, body, "Content-Type", "application/json"),
                400,
                "bad_body",
                detail);
    }

    @Test
    void moreThanAThousandAreTooMany() {
        List<String> many = IntStream.rangeClosed(0, 1_000)
                .mapToObj(i -> "0x" + Integer.toHexString(i))
                .toList();
        for (String list : List.of("names", "addresses")) {
            HttpResponse<String> response = post(libraryId, Map.of(list, many));
            assertProblem(response, 413, "too_large", "1001 " + list);
            assertThat(Json.of(response).path("limit").asInt()).isEqualTo(1_000);
        }
        HttpResponse<String> tooLong = post(libraryId, Map.of("names", List.of("x".repeat(1 << 20))));
        assertProblem(tooLong, 413, "too_large", "bytes");
    }

    private static void assertProblem(HttpResponse<String> response, int status, String code, String detail) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
        assertThat(Json.of(response).path("detail").asString()).contains(detail);
        assertThat(Json.of(response).path("buildId").asString()).isEqualTo(libraryId.toString());
        assertThat(response.body().toLowerCase(Locale.ROOT)).doesNotContain("exception");
    }
}
