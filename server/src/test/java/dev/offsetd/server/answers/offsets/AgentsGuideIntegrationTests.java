package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import dev.offsetd.extractor.testkit.DebianPackages;
import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.server.testkit.DocumentWalk;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The examples of docs/agents.md are answered, and the formula finds a variable. */
@Timeout(300)
class AgentsGuideIntegrationTests {

    private static final Path GUIDE = Path.of("..", "docs", "agents.md");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern STATUS = Pattern.compile("\"status\": ?\"([a-z_]+)\"");
    private static final Pattern ITEM = Pattern.compile("'types=([^']+)'");

    @TempDir
    private static Path folder;

    private static Path debugFiles;
    private static TestServer server;
    private static String loader;

    @BeforeAll
    static void start() throws Exception {
        debugFiles = Files.createDirectory(folder.resolve("debug"));
        loader = Readelf.buildId(Path.of(RequiredTool.require("gcc")
                .output("-print-file-name=ld-linux-x86-64.so.2")
                .strip()));
        Path place = place(loader);
        for (Path file : DebianPackages.debugFiles("libc6-dbg", "amd64")) {
            if (file.endsWith(debugFiles.relativize(place))) {
                Files.copy(file, place);
            }
        }
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + debugFiles);
        HttpResponse<String> ready = server.offsets(loader, "struct link_map", "Prefer", "wait=30");
        assertThat(ready.statusCode()).as(ready.body()).isEqualTo(200);
        // A status of an error is one of curl's too, then.
        Files.writeString(folder.resolve(".curlrc"), "fail\n");
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }

    private static Path place(String buildId) throws IOException {
        Path place = debugFiles.resolve(".build-id/" + buildId.substring(0, 2) + "/" + buildId.substring(2) + ".debug");
        Files.createDirectories(place.getParent());
        return place;
    }

    /** The shell blocks of the guide, named by the heading above them. */
    static List<Arguments> examples() throws IOException {
        return DocumentWalk.steps(GUIDE).stream()
                .<Arguments>map(step -> argumentSet(step.heading(), step.commands()))
                .toList();
    }

    /** The lists of items in the table of runtimes. */
    static List<String> recipes() throws IOException {
        String guide = Files.readString(GUIDE);
        return guide.substring(guide.indexOf("| file | `types` |"))
                .lines()
                .takeWhile(line -> line.startsWith("|"))
                .skip(2)
                .map(row -> row.replace("\\|", "\0").split("\\|", -1)[2])
                .flatMap(cell ->
                        CODE.matcher(cell).results().map(code -> code.group(1).replace('\0', '|')))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void exampleIsAnswered(String example) throws IOException {
        RequiredTool.require("curl");
        String answer = RequiredTool.require("sh")
                .with("CURL_HOME", folder)
                .with("OFFSETD_URL", server.url())
                .with("id", loader)
                .output("-eu", "-c", example);
        assertThat(answer).startsWith("{").contains(loader);
        Stream<String> statuses = STATUS.matcher(answer).results().map(status -> status.group(1));
        assertThat(statuses).as(answer).isSubsetOf(statusesOf(example));
    }

    /** Sets have items of other runtimes and versions than the loader, and names of symbols those of other unwinders. */
    private static List<String> statusesOf(String example) {
        if (example.contains("/v1/symbols/")) {
            return List.of("found", "not_found");
        }
        return example.contains("@") ? List.of("found", "type_not_found", "field_not_found") : List.of("found");
    }

    @Test
    void planShownIsTheOneAnswered() throws IOException {
        String item = ITEM.matcher((String) examples().getFirst().get()[0])
                .results()
                .findFirst()
                .orElseThrow()
                .group(1);
        String guide = Files.readString(GUIDE);
        int start = guide.indexOf("```json\n") + "```json\n".length();
        JsonNode shown = JsonMapper.shared().readTree(guide.substring(start, guide.indexOf("```", start)));
        JsonNode answered = Json.item(server.offsets(loader, item), item);

        assertThat(shown.path("steps").size()).isPositive();
        for (String property : List.of("symbol", "steps", "size", "type")) {
            assertThat(answered.path(property)).as(property).isEqualTo(shown.path(property));
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void recipeIsAnswered(String types) throws IOException {
        HttpResponse<String> answer = server.offsets(loader, types);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void planIsAnsweredInEveryRepresentationAndInBatches() {
        String item = "link_map.l_next->l_name";
        JsonNode plan = Json.of(server.offsets(loader, item)).path("offsets").path(item);

        assertThat(plan.path("steps").toString())
                .isEqualTo("[{\"offset\":24},{\"deref\":true,\"pointerSize\":8},{\"offset\":8}]");
        assertThat(plan.path("size").asInt()).isEqualTo(8);
        assertThat(server.offsets(loader, item, "Accept", "text/plain").body()).contains("/* 24 -> */");
        assertThat(server.offsets(loader, item, "Accept", "text/x-c").body())
                .contains("#define link_map_l_next_l_name_READ(read, base, to)");
        assertThat(server.offsets(loader, item, "Accept", "text/x-tracefs").body())
                .endsWith("\nlink_map_l_next_l_name=+8(+24(%di)):x64\n");
        String path = "/v1/offsets/" + loader + "?types=link_map.l_next-%3El_name&base=";
        assertThat(server.get(path + "%25si", "Accept", "text/x-tracefs").body())
                .contains("+8(+24(%si)):x64");
        assertThat(server.get(path + "%25si", "Accept", "text/x-bpftrace").body())
                .contains("$link_map_l_next_l_name = *(uint64*)(*(uint64*)(%si + 24) + 8);");
        HttpResponse<String> refused = server.get(path + "a%20b");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(refused.body()).contains("bad_base", "expected a register");
        HttpResponse<String> batch = server.post(
                "/v1/offsets",
                "[{\"buildId\": \"" + loader + "\", \"types\": [\"" + item + "\", \"link_map.l_next.l_name\"]}]",
                "Content-Type",
                "application/json");
        JsonNode offsets = Json.of(batch).path("answers").path(0).path("answer").path("offsets");
        assertThat(offsets.path(item)).as(batch.body()).isEqualTo(plan);
        assertThat(offsets.path("link_map.l_next.l_name").path("suggestions").toString())
                .isEqualTo("[\"link_map.l_next->l_name\"]");
    }

    @Test
    void everyStatusAndEveryBuiltInSetIsExplained() throws IOException {
        String guide = Files.readString(GUIDE);
        for (ItemStatus status : ItemStatus.values()) {
            assertThat(guide).contains('`' + status.word() + '`');
        }
        for (String set : new BuiltInTypeSets().names()) {
            assertThat(recipes()).anyMatch(types -> (types + ",").startsWith("@" + set + ","));
        }
    }

    /** The alignment is odd enough for the block not to end where the thread pointer is. */
    @Test
    void threadLocalVariableOfAnExecutableIsWhereTheFormulaSays() throws IOException {
        Path program = folder.resolve("thread-local");
        RequiredTool.require("gcc")
                .output(
                        "-g",
                        "-Wl,--build-id",
                        "-o",
                        program,
                        Files.writeString(folder.resolve("thread-local.c"), """
                            #include <stdio.h>
                            static __thread char first[3] = "ab";
                            static __thread int wanted __attribute__((aligned(64)));
                            static __thread char last[5];
                            int main(void) {
                                char *pointer = __builtin_thread_pointer();
                                return printf("%td", (char *)&wanted - pointer) + first[2] + last[0] < 0;
                            }
                            """));
        String id = Readelf.buildId(program);
        Files.copy(program, place(id));

        JsonNode answer = Json.of(server.offsets(id, "symbol wanted,tls", "Prefer", "wait=30"));

        JsonNode symbol =
                answer.path("offsets").path("symbol wanted").path("symbols").path(0);
        assertThat(symbol.path("type").asString()).as(answer.toString()).isEqualTo("TLS");
        long value = Long.decode(symbol.path("value").asString());
        JsonNode tls = answer.path("offsets").path("tls").path("tls");
        long address = Long.decode(tls.path("address").asString());
        long memorySize = tls.path("memorySize").asLong();
        long alignment = tls.path("alignment").asLong();
        assertThat(value).isPositive();
        assertThat(alignment).isEqualTo(64);
        assertThat(offset(answer.path("arch").path("machine").asString(), value, address, memorySize, alignment))
                .isEqualTo(Long.parseLong(RequiredTool.at(program).output()));
    }

    private static long offset(String machine, long value, long address, long memorySize, long alignment) {
        return switch (machine) {
            case "x86_64" -> value - memorySize - ((-address - memorySize) & (alignment - 1));
            case "aarch64" -> value + 16 + ((address - 16) & (alignment - 1));
            default -> throw RequiredTool.unavailable("the formula is tried on x86_64 and aarch64, not on " + machine);
        };
    }
}
