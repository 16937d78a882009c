package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.ZstdInputStream;
import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.GdbFields;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * Tasks that engineers have done by hand with a debugger, each as one request whose answer matches the debugger's. The
 * files are installed on this machine or compiled for it.
 */
@Timeout(300)
class WorkOnceDoneByHandIntegrationTests {

    private static final Path LIBRUBY = Path.of("..", "..", "shared", "fixtures", "libruby-3.4.5-amd64.debug.zst");

    @TempDir
    private static Path folder;

    private static Path debugFiles;
    private static TestServer server;
    private static Publisher publisher;

    @BeforeAll
    static void start() throws Exception {
        debugFiles = Files.createDirectory(folder.resolve("debug"));
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + debugFiles);
        publisher = Publisher.of(server, "ci");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Returns the path of this build in the local folder. */
    private static Path place(String buildId) throws IOException {
        Path place = debugFiles.resolve(".build-id/" + buildId.substring(0, 2) + "/" + buildId.substring(2) + ".debug");
        Files.createDirectories(place.getParent());
        return place;
    }

    /** Uploads a file and returns its build-id. */
    private static String upload(Path file) throws IOException {
        String id = Readelf.buildId(file);
        HttpResponse<String> response = publisher.put(server, id, Files.readAllBytes(file));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        return id;
    }

    /** Asserts that the answer covers every item of the query, and returns it. */
    private static JsonNode complete(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(Json.of(response).path("complete").asBoolean())
                .as(response.body())
                .isTrue();
        return Json.of(response);
    }

    /** Eleven types that a profiler failed to read from Ruby's DWARF, among them a bit-field for which it printed 0. */
    @Test
    void typesOfALibruby() throws Exception {
        Assumptions.assumeTrue(
                Files.isReadable(LIBRUBY),
                () -> "the optional file " + LIBRUBY.toAbsolutePath().normalize() + " is not there");
        Path file = folder.resolve("libruby.debug");
        try (InputStream in = new ZstdInputStream(Files.newInputStream(LIBRUBY))) {
            Files.copy(in, file);
        }
        String id = Readelf.buildId(file);
        Files.createLink(place(id), file);
        List<String> structs = List.of(
                "rb_execution_context_struct",
                "rb_control_frame_struct",
                "rb_iseq_struct",
                "rb_iseq_constant_body",
                "rb_iseq_location_struct",
                "iseq_insn_info_entry",
                "RString",
                "RArray",
                "succ_index_table",
                "succ_dict_block");

        JsonNode answer = complete(server.offsets(id, String.join(",", structs) + ",VALUE", "Prefer", "wait=30"));

        GdbFields gdb = new GdbFields();
        for (String struct : structs) {
            gdb.type("struct " + struct, answer.path("offsets").path(struct));
        }
        gdb.assertAgree(file);
        assertThat(answer.path("offsets").path("VALUE").path("size").asLong()).isEqualTo(8);
        assertBitField(
                file,
                "struct rb_execution_context_struct",
                "method_missing_reason",
                answer.path("offsets").path(structs.getFirst()).path("fields").path("method_missing_reason"));
    }

    /**
     * Compares a bit-field of a little-endian file with the placement that GDB prints: {@code byte: bit | size of its
     * type}.
     */
    private static void assertBitField(Path file, String type, String name, JsonNode field) throws IOException {
        String printed = RequiredTool.require("gdb")
                .output("-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", "ptype/o " + type, file);
        Matcher line = Pattern.compile("/\\* +(\\d+): *(\\d+) +\\| +\\d+ \\*/.*\\b" + name + " : (\\d+);")
                .matcher(printed);
        assertThat(line.find()).as(printed).isTrue();
        long bitOffset = 8 * Long.parseLong(line.group(1)) + Long.parseLong(line.group(2));
        assertThat(bitOffset).isPositive();
        assertThat(field.path("bitOffset").asLong()).isEqualTo(bitOffset);
        assertThat(field.path("bitSize").asLong()).isEqualTo(Long.parseLong(line.group(3)));
        assertThat(field.path("offset").asLong()).isEqualTo(bitOffset / 8);
    }

    /**
     * Walks the allocation list of a malloc interposer in a running process with the answer to one request, and
     * symbolizes a thousand recorded return addresses with one more.
     */
    @Test
    void listOfAMallocInterposer() throws Exception {
        int pieces = 1_000 / InterposedProgram.LEVELS + 1;
        try (InterposedProgram running = InterposedProgram.start(folder, pieces)) {
            String library = upload(running.library());
            String program = upload(running.program());
            JsonNode items = complete(server.offsets(
                            library,
                            "symbol pieces_in_use,pieces.count,pieces.list.first,piece.next,piece.size,piece.number,"
                                    + "piece.depth,piece.callers"))
                    .path("offsets");
            long head = running.bias(running.library())
                    + Long.decode(items.path("symbol pieces_in_use")
                            .path("symbols")
                            .path(0)
                            .path("value")
                            .asString());
            int depth = items.path("piece.callers").path("counts").path(0).asInt();
            long pointer = items.path("piece.callers").path("size").asLong() / depth;
            assertThat(depth).isEqualTo(10);

            Set<Long> inMalloc = new TreeSet<>();
            Set<Long> inProgram = new LinkedHashSet<>();
            List<Long> sizes = new ArrayList<>();
            long walked = 0;
            for (long piece = read(running, head, items.path("pieces.list.first"));
                    piece != 0;
                    piece = read(running, piece, items.path("piece.next"))) {
                walked++;
                assertThat(read(running, piece, items.path("piece.number"))).isEqualTo(walked);
                long size = read(running, piece, items.path("piece.size"));
                if (size < 1_000 || size >= 1_000 + pieces) {
                    continue;
                }
                sizes.add(size);
                assertThat(read(running, piece, items.path("piece.depth"))).isEqualTo(depth);
                long callers =
                        piece + items.path("piece.callers").path("offset").asLong();
                inMalloc.add(running.read(callers, (int) pointer) - running.bias(running.library()));
                for (int i = 1; i < depth; i++) {
                    inProgram.add(running.read(callers + i * pointer, (int) pointer) - running.bias(running.program()));
                }
            }
            assertThat(walked).isEqualTo(read(running, head, items.path("pieces.count")));
            assertThat(sizes)
                    .isEqualTo(IntStream.range(0, pieces)
                            .mapToObj(way -> 1_000L + way)
                            .toList());

            List<Long> thousand = inProgram.stream().limit(1_000).toList();
            assertThat(thousand).hasSize(1_000);
            assertThat(named(program, thousand)).isEqualTo(namedByGdb(running.program(), thousand));
            assertThat(named(library, List.copyOf(inMalloc)))
                    .isEqualTo(namedByGdb(running.library(), List.copyOf(inMalloc)))
                    .singleElement()
                    .asString()
                    .matches("malloc\\+[1-9][0-9]*");
        }
    }

    /** Reads a struct member from memory by its placement. */
    private static long read(InterposedProgram running, long struct, JsonNode place) throws IOException {
        int size = place.path("size").asInt();
        long number = running.read(struct + place.path("offset").asLong(), size);
        if (!place.has("bitSize")) {
            return number;
        }
        int bits = place.path("bitSize").asInt();
        int bit = place.path("bitOffset").asInt() % 8;
        boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        return number >>> (little ? bit : 8 * size - bit - bits) & (1L << bits) - 1;
    }

    /** Returns the addresses as {@code symbol+offset}, from one request. */
    private static List<String> named(String buildId, List<Long> addresses) {
        String body = addresses.stream()
                .map(address -> "\"0x" + Long.toHexString(address) + '"')
                .collect(Collectors.joining(",", "{\"addresses\":[", "]}"));
        JsonNode answer = complete(server.post("/v1/symbols/" + buildId, body, "Content-Type", "application/json"));
        return addresses.stream()
                .map(address -> answer.path("addresses").path("0x" + Long.toHexString(address)))
                .map(found -> found.path("symbols").path(0))
                .map(symbol -> symbol.path("name").asString()
                        + '+'
                        + symbol.path("offset").asLong())
                .toList();
    }

    private static List<String> namedByGdb(Path file, List<Long> addresses) throws IOException {
        Path commands = Files.write(
                folder.resolve("commands.gdb"),
                addresses.stream().map(address -> "info symbol " + address).toList());
        return RequiredTool.require("gdb")
                .output("-nx", "-batch", "-iex", "set debuginfod enabled off", "-x", commands, file)
                .lines()
                .map(line -> line.replaceFirst("(\\S+) \\+ (\\d+) in section .*", "$1+$2"))
                .toList();
    }

    /** Structs that a PHP profiler reads, and those of an extension compiled against PHP. */
    @Test
    void phpAndAnExtensionOfIt() throws Exception {
        List<Object> arguments = new ArrayList<>(List.of("-g", "-w", "-fPIC", "-shared", "-Wl,--build-id"));
        arguments.addAll(Arrays.asList(
                RequiredTool.require("php-config").output("--includes").strip().split(" +", -1)));
        Path source = folder.resolve("php_extension.c");
        try (InputStream resource = Objects.requireNonNull(getClass().getResourceAsStream("php_extension.c"))) {
            Files.copy(resource, source);
        }
        Path extension = folder.resolve("call_sites.so");
        arguments.addAll(List.of("-o", extension, source));
        RequiredTool.require("gcc").output(arguments.toArray());
        String id = upload(extension);
        List<String> paths = List.of(
                "_zend_executor_globals.current_execute_data",
                "_zend_execute_data.opline",
                "_zend_execute_data.func",
                "_zend_execute_data.This.u1.type_info",
                "_zend_execute_data.prev_execute_data",
                "_zend_class_entry.name",
                "_zend_string.val",
                "_zend_op.lineno",
                "_call_site.function",
                "_call_site.caller",
                "_call_site.calls",
                "_call_site.callees.nNumUsed",
                "_call_site.memory.bytes");
        List<String> ofFunctions = List.of(
                "common.type", "common.function_name", "common.scope", "op_array.filename", "op_array.line_start");

        JsonNode items = complete(server.offsets(
                        id,
                        Stream.concat(paths.stream(), ofFunctions.stream().map("union _zend_function."::concat))
                                        .collect(Collectors.joining(","))
                                + ",_call_site.memory.in_use,_call_site.memory.peak,_call_site,_zend_execute_data"))
                .path("offsets");

        GdbFields gdb = new GdbFields()
                .type("struct _call_site", items.path("_call_site"))
                .type("struct _zend_execute_data", items.path("_zend_execute_data"));
        for (String path : paths) {
            String[] typeAndMember = path.split("\\.", 2);
            gdb.member("struct " + typeAndMember[0], typeAndMember[1], items.path(path));
        }
        for (String path : ofFunctions) {
            gdb.member("union _zend_function", path, items.path("union _zend_function." + path));
        }
        gdb.assertAgree(extension);
        assertBitField(extension, "struct _call_site", "in_use", items.path("_call_site.memory.in_use"));
        assertBitField(extension, "struct _call_site", "peak", items.path("_call_site.memory.peak"));
    }

    /** Which of its two symbol prefixes a libunwind exports, which an interposer of its functions has to know. */
    @Test
    void unwindersOfALibunwind() throws Exception {
        Path library = Path.of("/usr/lib/x86_64-linux-gnu/libunwind.so.8");
        if (!Files.exists(library)) {
            throw RequiredTool.unavailable("libunwind8 is not installed");
        }
        String id = Readelf.buildId(library);
        Files.copy(library, place(id));
        // The library is stripped: it has symbols but no types.
        assertThat(server.offsets(id, "unw_context", "Prefer", "wait=30").statusCode())
                .isEqualTo(422);

        JsonNode names = complete(server.get("/v1/symbols/" + id + "?names=_Ux86_64_*,_ULx86_64_*"))
                .path("names");

        List<String> exported = dynamicSymbols(library);
        for (String prefix : List.of("_Ux86_64_", "_ULx86_64_")) {
            assertThat(names.path(prefix + '*')
                            .path("symbols")
                            .valueStream()
                            .map(symbol -> symbol.path("name").asString()))
                    .isNotEmpty()
                    .containsExactlyInAnyOrderElementsOf(exported.stream()
                            .map(line -> line.split(" ", -1)[0])
                            .filter(name -> name.startsWith(prefix))
                            .toList());
        }
    }

    /** Whether libgcc unwinds exceptions without taking the loader's lock. */
    @Test
    void importsOfALibgcc() throws Exception {
        Path library = Path.of(RequiredTool.require("gcc")
                .output("-print-file-name=libgcc_s.so.1")
                .strip());
        String id = Readelf.buildId(library);
        Files.copy(library, place(id));

        HttpResponse<String> response = server.get(
                "/v1/symbols/" + id + "?names=_dl_find_object,dl_iterate_phdr,_Unwind_Find_FDE", "Prefer", "wait=30");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        List<String> found = new ArrayList<>();
        for (var name : Json.of(response).path("names").properties()) {
            for (JsonNode symbol : name.getValue().path("symbols")) {
                found.add(name.getKey()
                        + (symbol.path("imported").asBoolean() ? " U " : " T ")
                        + symbol.path("version").asString());
            }
        }
        assertThat(found)
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(dynamicSymbols(library).stream()
                        .filter(line -> line.matches("(_dl_find_object|dl_iterate_phdr|_Unwind_Find_FDE) .*"))
                        .toList());
    }

    /** Returns the dynamic symbols as {@code name U version}, with {@code T} for those that the library defines. */
    private static List<String> dynamicSymbols(Path library) throws IOException {
        return RequiredTool.require("nm")
                .output("--dynamic", "--with-symbol-versions", "--format=posix", library)
                .lines()
                .map(line -> line.replaceFirst("([^ @]+)@*(\\S*) (\\S).*", "$1 $3 $2")
                        .strip())
                .toList();
    }
}
