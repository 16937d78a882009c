package dev.offsetd.cli.push;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.Dw;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.packages.Archives;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.codec.digest.MessageDigestAlgorithms;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code push} against a server that says what the test tells it to; the real one is in the server's tests. */
class PushIntegrationTests {

    private static final int ET_REL = 1;
    private static final int ET_DYN = 3;
    private static final byte[] ID = {1, 1, 1, 1, 1, 1, 1, 1};
    private static final String PATH = "/v1/builds/0101010101010101/debuginfo";
    private static final String WELCOME =
            "{\"upload\":true,\"reason\":\"no_source_has_it\",\"detail\":\"d\",\"limit\":1000000}";

    private static final String SHARED = "{\"title\":\"T\",\"code\":\"build_id_not_unique\",\"detail\":\"why\"}";

    @TempDir
    private Path folder;

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final Queue<String> queries = new ConcurrentLinkedQueue<>();
    private final Queue<Integer> bodies = new ConcurrentLinkedQueue<>();
    private final Queue<String> digests = new ConcurrentLinkedQueue<>();
    /** The server's answer to every build. */
    private String build = "{}";

    private HttpServer server;
    private String url;
    private Path file;

    private record Answer(int status, String retryAfter, String body) {

        Answer(int status, String body) {
            this(status, "", body);
        }
    }

    @BeforeEach
    void start() throws IOException {
        file = Files.write(
                folder.resolve("app.debug"),
                DwarfWriter.write(DwarfStyle.DEFAULT, DwarfTree.unit(DwarfTree.baseType("int", 4, Dw.DW_ATE_signed)))
                        .toElf()
                        .buildId(ID)
                        .section(".text", new byte[50_000])
                        .toBytes());
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (exchange.getRequestMethod().equals("GET") && path.lastIndexOf('/') == "/v1/builds".length()) {
            send(exchange, new Answer(200, build));
            return;
        }
        requests.add(
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
        queries.add(String.valueOf(exchange.getRequestURI().getQuery()));
        bodies.add(exchange.getRequestBody().readAllBytes().length);
        digests.addAll(exchange.getRequestHeaders().getOrDefault("Content-Digest", List.of()));
        send(exchange, answers.remove());
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        if (!answer.retryAfter().isEmpty()) {
            exchange.getResponseHeaders().set("Retry-After", answer.retryAfter());
        }
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void onlyWhatIsReadIsSentAndAgainIfTheServerIsBusy() throws IOException {
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(503, "0", "{\"title\":\"Busy\"}"));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, file.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .startsWith("NAME ")
                .containsOnlyOnce(file.getFileName() + "  0101010101010101  taken")
                .containsOnlyOnce(file.toString());
        assertThat(requests).containsExactly("GET " + PATH + "/precheck", "PUT " + PATH, "PUT " + PATH);
        assertThat(queries).element(1).isEqualTo("name=" + file);
        assertThat(bodies).element(2).satisfies(bytes -> assertThat(bytes).isBetween(100, 49_999));
        assertThat(digests).hasSize(2).allSatisfy(digest -> assertThat(digest).matches("sha-256=:[A-Za-z0-9+/]{43}=:"));
    }

    @Test
    void wholeFileIsSentAsItIs() throws IOException {
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun.of("push", url, file.toString(), "--whole");

        assertThat(bodies).containsExactly(0, (int) Files.size(file));
    }

    /** {@code /sys/kernel/btf/vmlinux} and {@code /sys/kernel/notes}, in which the build-id is not the first note. */
    @Test
    void rawBtfIsSentUnderTheBuildIdOfTheKernelsNotes() throws IOException {
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));
        Path btf = rawBtf();

        CommandLineRun run = CommandLineRun.of("push", url, btf.toString(), "--notes", notes().toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(requests).containsExactly("GET " + PATH + "/precheck", "PUT " + PATH);
        assertThat(bodies).element(1).isEqualTo((int) Files.size(btf));
    }

    @Test
    void notesAreRefusedForAFileWithItsOwn() throws IOException {
        CommandLineRun own = CommandLineRun.of("push", url, file.toString(), "--notes", notes().toString());
        CommandLineRun without = CommandLineRun.of("push", url, rawBtf().toString());

        assertThat(own.exitCode()).isEqualTo(2);
        assertThat(own.err()).contains("says itself that its build-id is 0101010101010101");
        assertThat(without.exitCode()).isEqualTo(3);
        assertThat(without.out()).contains("--notes names the notes of its kernel");
        CommandLineRun noNote = CommandLineRun.of("push", url, rawBtf().toString(), "--notes", rawBtf().toString());
        assertThat(noNote.exitCode()).isEqualTo(3);
        assertThat(noNote.err()).contains("no NT_GNU_BUILD_ID note; expected /sys/kernel/notes");
        assertThat(requests).isEmpty();
    }

    private Path rawBtf() throws IOException {
        return Files.write(
                folder.resolve("vmlinux"),
                new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                        .u16(0xeb9f)
                        .u8(1)
                        .u8(0)
                        .u32(24)
                        .u32(0)
                        .u32(0)
                        .u32(0)
                        .u32(1)
                        .u8(0)
                        .toBytes());
    }

    private Path notes() throws IOException {
        return Files.write(
                folder.resolve("notes"),
                new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                        .u32(6)
                        .u32(4)
                        .u32(1)
                        .string("Linux")
                        .align(4)
                        .u32(0)
                        .u32(4)
                        .u32(ID.length)
                        .u32(3)
                        .string("GNU")
                        .bytes(ID)
                        .toBytes());
    }

    @ParameterizedTest
    @CsvSource({
        "same_file,0,already_there",
        "upstream_has_it,0,already_there",
        "other_token,3,refused",
        "too_large,3,refused"
    })
    void adviceAgainstItIsTaken(String reason, int exitCode, String result) {
        answers.add(new Answer(200, "{\"upload\":false,\"reason\":\"%s\",\"detail\":\"because\"}".formatted(reason)));

        CommandLineRun run = CommandLineRun.of("push", url, file.toString(), "--json");

        assertThat(run.exitCode()).isEqualTo(exitCode);
        JsonNode told = JsonMapper.shared().readTree(run.out()).path("files").path(0);
        assertThat(told.path("result").asString()).isEqualTo(result);
        assertThat(told.path("detail").asString()).isEqualTo("because");
        assertThat(requests).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "409,not_richer,0",
        "409,upstream_has_it,0",
        "409,other_architecture,3",
        "422,malformed,3",
        "413,too_large,3",
        "401,unauthorized,7",
        "403,forbidden,7",
        "500,internal,4"
    })
    void answersToAnUploadAreToldApart(int status, String word, int exitCode) {
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(
                status,
                "{\"title\":\"T\",\"code\":\"%s\",\"reason\":\"%s\",\"detail\":\"why\"}".formatted(word, word)));

        CommandLineRun run = CommandLineRun.of("push", url, file.toString());

        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.out() + run.err()).contains("why");
    }

    @Test
    void buildIdThatProgramsShareIsReplacedByTheHashOfTheFile() throws IOException {
        answers.add(new Answer(409, SHARED));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, file.toString());

        String key = "sha256:" + new DigestUtils(MessageDigestAlgorithms.SHA_256).digestAsHex(file.toFile());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).contains(key + "  taken");
        assertThat(requests)
                .containsExactly(
                        "GET " + PATH + "/precheck",
                        "GET /v1/builds/" + key + "/debuginfo/precheck",
                        "PUT /v1/builds/" + key + "/debuginfo");
    }

    @Test
    void fileThatIsRefusedDoesNotKeepOthersFromBeingSent() throws IOException {
        answers.add(new Answer(409, SHARED));
        answers.add(new Answer(409, SHARED));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        assertOnlyCopyIsTaken(file);
    }

    @Test
    void executableThatIsRefusedDoesNotKeepOthersFromBeingSent() throws IOException {
        answers.add(new Answer(409, SHARED));
        answers.add(new Answer(409, SHARED));
        answers.add(new Answer(200, "{}"));

        assertOnlyCopyIsTaken(Files.write(
                folder.resolve("app"),
                new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                        .type(ET_DYN)
                        .buildId(ID)
                        .toBytes()));
    }

    /** Pushes a file and a copy of it, of which the first is refused and the second taken. */
    private void assertOnlyCopyIsTaken(Path refused) throws IOException {
        Path copy = Files.copy(refused, folder.resolve("copy"));

        CommandLineRun run = CommandLineRun.of("push", "--executables", url, refused.toString(), copy.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out())
                .containsPattern(refused.getFileName() + " .* refused .* why")
                .containsPattern("copy +0101010101010101 +taken");
    }

    @Test
    void strippedFileSaysWhereItsDebugInformationIs() throws IOException {
        Path stripped = Files.write(
                folder.resolve("app"),
                new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).buildId(ID).toBytes());

        CommandLineRun run = CommandLineRun.of("push", url, stripped.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).contains("its debug information is in \"" + file + "\": push that file");
        Files.delete(file);
        assertThat(CommandLineRun.of("push", url, stripped.toString()).out())
                .contains("no debug information in \"/usr/lib/debug/.build-id/01/01010101010101.debug\", \"" + file)
                .contains(" and 1 more; push the unstripped file, compiled with -g");
        assertThat(requests).isEmpty();
    }

    @Test
    void programThatDescribesItsTypesIsNotCalledUseless() throws IOException {
        byte[] elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(new byte[] {2, 2, 2, 2, 2, 2, 2, 2})
                .section(".gopclntab", new byte[8])
                .section(".typelink", new byte[8])
                .toBytes();
        Path program = Files.write(folder.resolve("server"), elf);

        CommandLineRun run = CommandLineRun.of("push", url, program.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).contains("it is stripped, but describes types itself; --executables sends the program");
        Path packed = Files.write(folder.resolve("image.tar"), Archives.tar(Map.of("usr/bin/server", elf)));
        CommandLineRun ofPackage = CommandLineRun.of("push", url, packed.toString());
        assertThat(ofPackage.exitCode()).isEqualTo(6);
        assertThat(ofPackage.err()).contains("programs that describe types themselves: 1, which --executables sends");
        assertThat(requests).isEmpty();
    }

    @Test
    void strippedExecutableIsSentWholeIfExecutablesAreWanted() throws IOException {
        byte[] elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).buildId(ID).toBytes();
        Path stripped = Files.write(folder.resolve("app"), elf);
        answers.add(new Answer(200, "{\"layouts\":false}"));

        CommandLineRun run = CommandLineRun.of("push", url, stripped.toString(), "--executables");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("taken", "the build has no layouts, because no debug file is known");
        assertThat(requests).containsExactly("PUT /v1/builds/0101010101010101/executable");
        assertThat(bodies).containsExactly(elf.length);
    }

    @Test
    void fileWithoutABuildIdIsSentWholeUnderItsSha256() throws IOException {
        byte[] elf = DwarfWriter.write(
                        DwarfStyle.DEFAULT, DwarfTree.unit(DwarfTree.baseType("int", 4, Dw.DW_ATE_signed)))
                .toElf()
                .type(ET_DYN)
                .toBytes();
        Path program = Files.write(folder.resolve("app"), elf);
        String key = "sha256:" + DigestUtils.sha256Hex(elf);
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, program.toString(), "--json");

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(JsonMapper.shared()
                        .readTree(run.out())
                        .path("files")
                        .path(0)
                        .path("buildId")
                        .asString())
                .isEqualTo(key);
        assertThat(requests)
                .containsExactly(
                        "GET /v1/builds/" + key + "/debuginfo/precheck", "PUT /v1/builds/" + key + "/debuginfo");
        assertThat(bodies).containsExactly(0, elf.length);
    }

    @Test
    void folderIsGoneThroughForWhatHasDebugInformation() throws IOException {
        Files.write(
                folder.resolve("stripped"),
                new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).buildId(ID).toBytes());
        Files.writeString(folder.resolve("text"), "text");
        answers.add(new Answer(200, "{\"upload\":false,\"reason\":\"same_file\",\"detail\":\"\"}"));

        CommandLineRun run = CommandLineRun.of("push", url, folder.toString(), "--json");

        assertThat(run.exitCode()).isZero();
        assertThat(JsonMapper.shared().readTree(run.out()).path("files")).hasSize(1);
    }

    @Test
    void wrongFileAmongOthersIsLeftOut() throws IOException {
        Path text = Files.writeString(folder.resolve("text"), "no ELF file, but long enough");
        Path empty = Files.createDirectories(folder.resolve("empty"));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of(
                "push", url, text.toString(), folder + "/none", file.toString(), empty.toString(), "--json");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains(text + ": ").endsWith("; it is left out"),
                        line -> assertThat(line).contains("/none").contains("no such file"),
                        line -> assertThat(line).contains(empty.toString()).contains("no file in it has debug"));
        JsonNode document = JsonMapper.shared().readTree(run.out());
        assertThat(document.path("complete").asBoolean()).isFalse();
        assertThat(document.path("files")).hasSize(1);
        assertThat(document.path("leftOut").valueStream().map(JsonNode::asString))
                .containsExactly(text.toString(), folder + "/none", empty.toString());
        assertThat(requests).containsExactly("GET " + PATH + "/precheck", "PUT " + PATH);
    }

    @Test
    void fileInAFolderThatCannotBeReadDoesNotKeepTheOthersFromBeingSent() throws IOException {
        Path root = Files.createDirectories(folder.resolve("root"));
        byte[] packed = Archives.gzip(Archives.tar(Map.of("b.debug", Files.readAllBytes(file))));
        Path cut = Files.write(root.resolve("b.tar.gz"), Arrays.copyOf(packed, packed.length / 2));
        Files.copy(file, root.resolve("c.debug"));
        byte[] malformed = {0x7f, 'E', 'L', 'F', 2, 1};
        Path alone = Files.write(root.resolve("d.debug"), malformed);
        Path compressed = Files.write(root.resolve("e.debug.gz"), Archives.gzip(malformed));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, root.toString(), "--json");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains(cut + "\" skipped: ");
        JsonNode document = JsonMapper.shared().readTree(run.out());
        assertThat(document.path("complete").asBoolean()).isFalse();
        assertThat(document.path("leftOut").valueStream().map(JsonNode::asString))
                .containsExactly(cut.toString(), alone.toString(), compressed.toString());
        assertThat(document.path("files").path(0).path("file").asString())
                .isEqualTo(root.resolve("c.debug").toString());
    }

    @Test
    void filesBeforeTheDamageOfAnArchiveAreSent() throws IOException {
        byte[] good = Files.readAllBytes(file);
        byte[] two = Archives.tar(new TreeMap<>(Map.of("a.debug", good, "b.debug", good)));
        int firstEntry = 512 + (good.length + 511) / 512 * 512;
        Path cut = Files.write(folder.resolve("cut.tar"), Arrays.copyOf(two, firstEntry + 512 + good.length / 2));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, cut.toString(), "--json");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains(cut + "\" cannot be read to its end, files before that: 1: ");
        assertThat(requests).containsExactly("GET " + PATH + "/precheck", "PUT " + PATH);
        JsonNode document = JsonMapper.shared().readTree(run.out());
        assertThat(document.path("files").path(0).path("file").asString()).endsWith("!a.debug");
        assertThat(document.path("leftOut").path(0).asString()).isEqualTo(cut.toString());
    }

    /** Packages and images have broken ELF files as test data. */
    @Test
    void malformedFileInAnArchiveIsSkippedAndNotAFailure() throws IOException {
        Path packed = Files.write(
                folder.resolve("b.tar"),
                Archives.tar(Map.of(
                        "a.debug", new byte[] {0x7f, 'E', 'L', 'F', 2, 1}, "b.debug", Files.readAllBytes(file))));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, packed.toString(), "--json");

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.err()).contains(packed + "!a.debug\" skipped: ");
        assertThat(JsonMapper.shared().readTree(run.out()).path("complete").asBoolean())
                .isTrue();
    }

    @Test
    void subfolderThatCannotBeReadIsNamed() throws IOException {
        Path root = Files.createDirectories(folder.resolve("root"));
        Path closed = Files.createDirectories(
                root.resolve("b"), PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("---------")));
        assumeFalse(Files.isReadable(closed), "root reads every folder");
        Files.copy(file, root.resolve("c.debug"));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, root.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).isEqualTo("offsetd: \"" + closed + "\" skipped: permission denied\n");
        assertThat(run.out()).contains("c.debug").contains("taken");
    }

    @Test
    void nothingIsSentIfNoFileCanBeRead() throws IOException {
        Path text = Files.writeString(folder.resolve("text"), "no ELF file, but long enough");

        assertThat(CommandLineRun.of("push", url, text.toString(), folder + "/none")
                        .exitCode())
                .isEqualTo(6);
        assertThat(requests).isEmpty();
    }

    /** A build-id of 4 bytes is too short to be a key: programs would share it by chance. */
    @Test
    void fileWithATooShortBuildIdDoesNotKeepOthersFromBeingSent() throws IOException {
        Path object = Files.write(
                folder.resolve("short.debug"),
                DwarfWriter.write(DwarfStyle.DEFAULT, DwarfTree.unit(DwarfTree.baseType("int", 4, Dw.DW_ATE_signed)))
                        .toElf()
                        .type(ET_REL)
                        .buildId(new byte[] {1, 2, 3, 4})
                        .toBytes());
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, object.toString(), file.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).contains("short.debug", "refused", "taken");
        assertThat(requests).containsExactly("GET " + PATH + "/precheck", "PUT " + PATH);
    }

    @Test
    void sourcesAreQueriedBeforeAnUnknownBuildIsSent() {
        answers.add(new Answer(200, "{\"upload\":true,\"reason\":\"unknown_build\",\"detail\":\"d\"}"));
        answers.add(new Answer(202, "{}"));
        answers.add(new Answer(200, "{\"upload\":true,\"reason\":\"unknown_build\",\"detail\":\"still queued\"}"));
        answers.add(new Answer(200, "{\"upload\":false,\"reason\":\"upstream_has_it\",\"detail\":\"d\"}"));
        build = "{\"provenance\":{\"origin\":\"debuginfod\",\"upstream\":\"https://d.example/\"}}";

        CommandLineRun run = CommandLineRun.of("push", url, file.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("already there", "https://d.example/");
        assertThat(requests)
                .containsExactly(
                        "GET " + PATH + "/precheck",
                        "POST /v1/builds/0101010101010101/retry",
                        "GET " + PATH + "/precheck",
                        "GET " + PATH + "/precheck");
    }

    @Test
    void pausedBuildTakesNoTimeFromOtherFiles() throws IOException {
        Path second = Files.copy(file, folder.resolve("second.debug"));
        answers.add(new Answer(
                200, "{\"upload\":false,\"reason\":\"under_way\",\"detail\":\"a server ended\",\"retryAfter\":600}"));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, file.toString(), second.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).contains("refused", "a server ended", "taken");
        assertThat(requests).containsExactly("GET " + PATH + "/precheck", "GET " + PATH + "/precheck", "PUT " + PATH);
    }

    @Test
    void fileThatIsToBeSentMuchLaterKeepsNoOthersFromBeingSent() throws IOException {
        Path second = Files.copy(file, folder.resolve("second.debug"));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(503, "600", "{\"code\":\"busy\",\"detail\":\"a server ended\"}"));
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, file.toString(), second.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).contains("refused", "a server ended", "taken");
    }

    @Test
    void unknownBuildIsSentIfTheSourcesCannotBeQueried() {
        answers.add(new Answer(200, "{\"upload\":true,\"reason\":\"unknown_build\",\"detail\":\"d\"}"));
        answers.add(new Answer(404, "{}"));
        answers.add(new Answer(200, "{\"upload\":true,\"reason\":\"unknown_build\",\"detail\":\"d\"}"));
        answers.add(new Answer(201, "{}"));
        build = "{\"provenance\":{\"origin\":\"upload\",\"upstream\":\"upload\",\"token\":{\"label\":\"ci\"}}}";

        CommandLineRun run = CommandLineRun.of("push", url, file.toString(), "--json");

        assertThat(run.exitCode()).isZero();
        JsonNode sent = JsonMapper.shared().readTree(run.out()).path("files").path(0);
        assertThat(sent.path("result").asString()).isEqualTo("taken");
        assertThat(sent.path("source").asString()).isEqualTo("upload of ci");
    }

    @ParameterizedTest
    @ValueSource(strings = {"deb", "rpm", "tar", "image", "folder"})
    void packagesArchivesImagesAndFoldersAreSearched(String format) throws IOException {
        byte[] elf = Files.readAllBytes(file);
        String name = "usr/lib/debug/app.debug";
        Map<String, byte[]> content = Map.of(name, elf, "usr/bin/other", new byte[] {1, 2, 3});
        Path packed = folder.resolve("packed");
        switch (format) {
            case "deb" -> Files.write(packed, Archives.deb(content));
            case "rpm" -> Files.write(packed, Archives.rpm(content));
            case "tar" -> Files.write(packed, Archives.gzip(Archives.tar(content)));
            case "image" -> Files.write(packed, Archives.image(List.of(Archives.tar(content))));
            default -> Files.write(Files.createDirectory(packed).resolve("app.deb"), Archives.deb(content));
        }
        answers.add(new Answer(200, WELCOME));
        answers.add(new Answer(201, "{}"));

        CommandLineRun run = CommandLineRun.of("push", url, packed.toString(), "--whole", "--json");

        assertThat(run.exitCode()).isZero();
        JsonNode pushed = JsonMapper.shared().readTree(run.out()).path("files");
        assertThat(pushed).hasSize(1);
        assertThat(pushed.path(0).path("file").asString())
                .startsWith(packed.toString())
                .endsWith(name);
        assertThat(pushed.path(0).path("result").asString()).isEqualTo("taken");
        assertThat(bodies).containsExactly(0, elf.length);
    }

    @Test
    void packageWithoutDebugInformationIsSix() throws IOException {
        Path packed = Files.write(folder.resolve("empty.tar"), Archives.tar(Map.of("usr/bin/a", new byte[] {1})));

        CommandLineRun run = CommandLineRun.of("push", url, packed.toString());

        assertThat(run.exitCode()).isEqualTo(6);
        assertThat(run.err()).contains("no file in it has debug information").hasLineCount(1);
        assertThat(requests).isEmpty();
    }

    @Test
    void unreachableServerHasExitCodeFour() {
        server.stop(0);

        CommandLineRun run = CommandLineRun.of("push", url, file.toString());

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err()).contains("connection refused: 127.0.0.1:").hasLineCount(1);
        assertThat(run.out()).isEmpty();
    }
}
