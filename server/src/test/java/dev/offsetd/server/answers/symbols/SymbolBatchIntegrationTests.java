package dev.offsetd.server.answers.symbols;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.Symbol;
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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Addresses as kernels and uprobes state them, of one build and of many. */
@Timeout(120)
class SymbolBatchIntegrationTests {

    private static final String PATH = "/v1/symbols";
    private static final String SHORT = "00112233445566ff";
    private static final String GONE = "11".repeat(16);

    @TempDir
    private static Path folder;

    private static TestServer server;

    /** Program with its bytes, and a debug file whose program no source has. */
    private static Path program;

    private static FileOffsets offsets;
    private static Symbol shown;
    private static Symbol counter;

    @BeforeAll
    static void start() throws Exception {
        Path source = Files.writeString(folder.resolve("program.c"), """
                struct counter { int low, high; };
                struct counter counter = {1, 2};
                int zeroed[100];
                int shown(int a) { return a + counter.high + zeroed[1]; }
                """);
        program = linked(source, SHORT);
        putInto(SHORT, program);
        Path debugFile = folder.resolve("gone.debug");
        RequiredTool.require("objcopy").output("--only-keep-debug", linked(source, GONE), debugFile);
        putInto(GONE, debugFile);
        offsets = DebugInfo.read(program, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::fileOffsets);
        shown = symbol("shown");
        counter = symbol("counter");
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Path linked(Path source, String id) throws Exception {
        Path made = folder.resolve(id + ".so");
        RequiredTool.require("gcc")
                .output("-g", "-O0", "-fPIC", "-shared", "-Wl,--build-id=0x" + id, source, "-o", made);
        return made;
    }

    private static void putInto(String id, Path file) throws Exception {
        Path place = folder.resolve("debug").resolve(BuildId.parse(id).debugFilePath());
        Files.createDirectories(place.getParent());
        Files.copy(file, place);
    }

    private static Symbol symbol(String name) throws Exception {
        return DebugInfo.read(program, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::symbols)
                .filter(symbol -> symbol.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String hex(long number) {
        return "0x" + Long.toHexString(number);
    }

    private static String inFile(Symbol symbol, long offset) {
        return "file:" + hex(offsets.of(symbol).orElseThrow() + offset);
    }

    private static HttpResponse<String> post(String path, Object body) {
        return server.post(
                path,
                body instanceof String text ? text : JsonMapper.shared().writeValueAsString(body),
                "Content-Type",
                "application/json",
                "Prefer",
                "wait=30");
    }

    private static JsonNode answered(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response);
    }

    private static Map<String, String> pair(String id, String address) {
        return Map.of("buildId", id, "address", address);
    }

    private static List<Map<String, Object>> segments() {
        return offsets.segments().stream()
                .<Map<String, Object>>map(segment -> Map.of(
                        "offset", segment.offset(), "vaddr", hex(segment.address()), "fileSize", segment.fileSize()))
                .toList();
    }

    @Test
    void offsetInTheFileIsAnAddress() {
        String address = inFile(shown, 4);
        JsonNode answer = answered(server.get(
                PATH + "/" + SHORT + "?names=shown,counter,zeroed&addresses=" + address + "," + hex(shown.value())));
        JsonNode at = answer.path("addresses").path(address);
        assertThat(at.path("status").asString()).isEqualTo("found");
        assertThat(at.path("address").asString()).isEqualTo(hex(shown.value() + 4));
        assertThat(at.path("symbols").get(0).path("name").asString()).isEqualTo("shown");
        assertThat(at.path("symbols").get(0).path("offset").asInt()).isEqualTo(4);
        assertThat(answer.path("addresses")
                        .path(hex(shown.value()))
                        .path("fileOffset")
                        .asString())
                .isEqualTo(hex(offsets.of(shown).orElseThrow()));
        for (Symbol symbol : List.of(shown, counter)) {
            assertThat(answer.path("names")
                            .path(symbol.name())
                            .path("symbols")
                            .get(0)
                            .path("fileOffset")
                            .asString())
                    .isEqualTo(hex(offsets.of(symbol).orElseThrow()));
        }
        assertThat(answer.path("names").path("zeroed").path("symbols").get(0).has("fileOffset"))
                .isFalse();
        assertThat(answer.has("noFileOffsets")).isFalse();
    }

    @Test
    void offsetOutsideOfAllSegmentsIsAStatusOfItsAddress() throws Exception {
        String outside = "file:" + hex(Files.size(program) + 7);
        JsonNode answer = answered(server.get(PATH + "/" + SHORT + "?addresses=" + outside + "," + inFile(shown, 0)));
        JsonNode at = answer.path("addresses").path(outside);
        assertThat(at.path("status").asString()).isEqualTo("outside_segments");
        assertThat(at.path("detail").asString()).contains("outside of all loaded segments");
        assertThat(at.path("symbols").size()).isZero();
        assertThat(answer.path("addresses")
                        .path(inFile(shown, 0))
                        .path("status")
                        .asString())
                .isEqualTo("found");
    }

    @Test
    void buildWhoseProgramIsGoneSaysSoUnlessTheClientHasTheSegments() {
        String address = inFile(shown, 4);
        JsonNode without = answered(server.get(PATH + "/" + GONE + "?names=shown&addresses=" + address));
        assertThat(without.path("noFileOffsets").asString())
                .contains("but not their bytes", "the executable was not read");
        assertThat(without.path("addresses").path(address).path("status").asString())
                .isEqualTo("no_segments");
        assertThat(without.path("names").path("shown").path("symbols").get(0).has("fileOffset"))
                .isFalse();

        JsonNode with = answered(post(
                PATH + "/" + GONE,
                Map.of("names", List.of("shown"), "addresses", List.of(address), "segments", segments())));
        assertThat(with.path("addresses")
                        .path(address)
                        .path("symbols")
                        .get(0)
                        .path("name")
                        .asString())
                .isEqualTo("shown");
        assertThat(with.path("names")
                        .path("shown")
                        .path("symbols")
                        .get(0)
                        .path("fileOffset")
                        .asString())
                .isEqualTo(hex(offsets.of(shown).orElseThrow()));
    }

    @Test
    void addressOfAVariableResolvesToItsMember() {
        for (String address : List.of(inFile(counter, 4), hex(counter.value() + 4), hex(counter.value()) + "+4")) {
            JsonNode answer = answered(
                    server.get("/v1/resolve/" + SHORT + "?expr=" + TestServer.escape(address), "Prefer", "wait=30"));
            assertThat(answer.path("status").asString()).as(answer.toString()).isEqualTo("found");
            assertThat(answer.toString()).contains("counter.high");
        }
        JsonNode none = answered(server.get("/v1/resolve/" + SHORT + "?expr=file:0xffffff"));
        assertThat(none.path("status").asString()).isEqualTo("not_found");
        assertThat(none.path("detail").asString()).contains("outside of all loaded segments");
    }

    @Test
    void lookUpsOfFramesTakeWhatKernelsState() {
        String padded = SHORT + "0".repeat(24);
        assertThat(answered(server.get("/v1/symbols/" + padded + "?names=shown"))
                        .path("buildId")
                        .asString())
                .isEqualTo(SHORT);
        assertThat(answered(server.get(
                                "/v1/symbolize/" + padded + "?addresses=" + inFile(shown, 1), "Prefer", "wait=30"))
                        .path("addresses")
                        .path(inFile(shown, 1))
                        .path("status")
                        .asString())
                .isEqualTo("found");
        String address = inFile(shown, 1);
        JsonNode unknown = frame(Map.of("buildId", GONE, "addresses", List.of(address)), address);
        assertThat(unknown.path("status").asString()).isEqualTo("no_segments");
        // Segments of /proc/PID/maps: rounded to pages.
        List<Map<String, String>> pages = offsets.segments().stream()
                .map(segment -> Map.of(
                        "offset", hex(segment.offset() & -4096),
                        "vaddr", hex(segment.address() & -4096),
                        "fileSize",
                                hex((segment.address() + segment.fileSize() + 4095 & -4096)
                                        - (segment.address() & -4096))))
                .toList();
        JsonNode known = frame(Map.of("buildId", GONE, "addresses", List.of(address), "segments", pages), address);
        assertThat(known.path("status").asString()).as(known.toString()).isEqualTo("found");
    }

    @Test
    void segmentsNameBuildsAsQueriesDo() {
        String address = inFile(shown, 4);
        List<Object> queries = List.of(pair(GONE, address));
        JsonNode upper = answered(post(
                PATH, Map.of("queries", queries, "segments", Map.of(GONE.toUpperCase(Locale.ROOT), segments()))));
        assertThat(upper.findValuesAsString("status")).contains("found").doesNotContain("no_segments");

        HttpResponse<String> other = post(PATH, Map.of("queries", queries, "segments", Map.of("zz", segments())));
        assertThat(other.statusCode()).isEqualTo(400);
        assertThat(Json.of(other).path("detail").asString()).contains("segments has the member \"zz\"");
    }

    private static JsonNode frame(Map<String, Object> query, String address) {
        return answered(post("/v1/symbolize", Map.of("queries", List.of(query))))
                .path("answers")
                .path(0)
                .path("answer")
                .path("addresses")
                .path(address);
    }

    @Test
    void stackOfAKernelIsAnsweredByBuild() {
        String padded = SHORT + "0".repeat(24);
        String paddedTo20 = GONE + "0".repeat(8);
        List<Map<String, String>> stack = List.of(
                pair(padded, inFile(shown, 1)),
                Map.of("address", "0x7f0012345678"),
                pair(paddedTo20, hex(shown.value())),
                pair(SmallBuild.UNKNOWN_ID.toString(), "file:0x1000"),
                pair(padded, inFile(shown, 2)),
                pair("0".repeat(40), "0x1"),
                pair("xyz", "0x1"));
        String body = JsonMapper.shared().writeValueAsString(Map.of("queries", stack));
        JsonNode answers = answered(post(PATH, body)).path("answers");

        assertThat(answers.valueStream().map(answer -> answer.path("status").asInt()))
                .containsExactly(200, 422, 200, 404, 400);
        assertThat(answers.valueStream()
                        .map(answer -> answer.path("problem").path("code").asString("")))
                .containsExactly("", "no_build_id", "", "build_not_found", "bad_build_id");
        JsonNode first = answers.get(0);
        assertThat(first.path("buildId").asString()).isEqualTo(padded);
        assertThat(first.path("answer").path("buildId").asString()).isEqualTo(SHORT);
        assertThat(first.path("etag").asString()).isNotEmpty();
        assertThat(first.path("answer").path("addresses").propertyNames())
                .containsExactly(inFile(shown, 1), inFile(shown, 2));
        assertThat(first.path("answer").path("complete").asBoolean()).isTrue();
        assertThat(answers.get(1).path("buildId").isNull()).isTrue();
        assertThat(answers.get(1).path("problem").path("detail").asString()).contains("2 addresses");
        assertThat(answers.get(2).path("answer").path("buildId").asString()).isEqualTo(GONE);
        HttpResponse<byte[]> cbor = server.cbor(
                "POST",
                PATH,
                BodyPublishers.ofString(body),
                "Content-Type",
                "application/json",
                "Accept",
                "application/cbor");
        assertThat(Cbor.of(cbor).path("answers").get(0)).isEqualTo(first);
    }

    @Test
    void malformedAddressAndOneOutsideAreStatusesOfTheirEntries() throws Exception {
        String outside = "file:" + hex(Files.size(program) + 7);
        String malformed = "\u00e4 4096";
        JsonNode answers = answered(post(
                        PATH,
                        Map.of(
                                "queries",
                                List.of(
                                        pair(SHORT, malformed),
                                        pair(SHORT, outside),
                                        pair(SHORT, inFile(shown, 1)),
                                        pair(GONE, malformed)))))
                .path("answers");
        assertThat(answers.valueStream().map(answer -> answer.path("status").asInt()))
                .containsExactly(200, 200);
        JsonNode addresses = answers.get(0).path("answer").path("addresses");
        assertThat(addresses.path(malformed).path("status").asString()).isEqualTo("malformed");
        assertThat(addresses.path(malformed).path("detail").asString()).contains("expected 0x and 1 to 16 hex digits");
        assertThat(addresses.path(malformed).path("symbols").isEmpty()).isTrue();
        assertThat(addresses.path(outside).path("status").asString()).isEqualTo("outside_segments");
        assertThat(addresses.path(inFile(shown, 1)).path("status").asString()).isEqualTo("found");
        for (JsonNode answer : answers) {
            assertThat(answer.path("answer").path("complete").asBoolean(true)).isFalse();
        }
    }

    @Test
    void malformedAddressOfASingleQueryIsABadRequest() {
        HttpResponse<String> response = post(PATH + "/" + SHORT, Map.of("addresses", List.of("0x1", "nonsense")));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("bad_address");
        assertThat(Json.of(response).path("itemNumber").asInt()).isEqualTo(2);
    }

    @Test
    void segmentsOfABatchAreThoseOfTheirBuild() {
        String address = inFile(shown, 3);
        JsonNode answers = answered(post(
                        PATH, Map.of("queries", List.of(pair(GONE, address)), "segments", Map.of(GONE, segments()))))
                .path("answers");
        assertThat(answers.get(0)
                        .path("answer")
                        .path("addresses")
                        .path(address)
                        .path("status")
                        .asString())
                .isEqualTo("found");
    }

    @Test
    void tenThousandAddressesAreOneRequestAndMoreAreTooMany() {
        List<Map<String, String>> pairs = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            pairs.add(pair(SHORT, hex(i)));
        }
        JsonNode answers = answered(post(PATH, Map.of("queries", pairs))).path("answers");
        assertThat(answers.get(0).path("answer").path("addresses").size()).isEqualTo(10_000);
        pairs.add(pair(SHORT, "0x1"));
        assertThat(post(PATH, Map.of("queries", pairs)).statusCode()).isEqualTo(413);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]",
                "{\"queries\": []}",
                "{\"queries\": [7]}",
                "{\"queries\": [{\"buildId\": \"00112233445566ff\"}]}",
                "{\"queries\": [{\"buildId\": 7, \"address\": \"0x1\"}]}",
                "{\"queries\": [{\"address\": \"0x1\", \"more\": 1}]}",
                "{\"queries\": [{\"address\": \"0x1\"}], \"segments\": []}",
                "{\"queries\": [{\"address\": \"0x1\"}], \"more\": 1}",
            })
    void bodyThatCannotBeReadIsAProblemOfAll(String body) {
        HttpResponse<String> response = post(PATH, body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("bad_body");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "7",
                "[7]",
                "[{\"offset\": 0, \"vaddr\": 0}]",
                "[{\"offset\": 0, \"vaddr\": 0, \"fileSize\": -1}]",
                "[{\"offset\": 0, \"vaddr\": \"12\", \"fileSize\": 1}]",
                "[{\"offset\": 0, \"vaddr\": \"file:0x1\", \"fileSize\": 1}]",
                "[{\"offset\": 0, \"vaddr\": 1.5, \"fileSize\": 1}]",
            })
    void malformedSegmentsAreRefused(String segments) {
        HttpResponse<String> response =
                post(PATH + "/" + SHORT, "{\"addresses\": [\"0x1\"], \"segments\": " + segments + "}");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("place").asString()).startsWith("segments");
        assertThat(Json.of(response).path("detail").asString())
                .startsWith("segments")
                .contains("; expected ");
    }
}
