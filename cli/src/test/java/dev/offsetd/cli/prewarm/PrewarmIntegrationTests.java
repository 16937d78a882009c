package dev.offsetd.cli.prewarm;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.packages.Archives;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code prewarm} against a server that says what the test tells it to; the real one is in the server's tests. */
class PrewarmIntegrationTests {

    private static final int ET_DYN = 3;
    private static final String ID = "0101010101010101";
    private static final String BATCH = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

    @TempDir
    private Path folder;

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private HttpServer server;
    private String url;
    private String library;

    private record Answer(int status, Map<String, String> headers, String body) {}

    @BeforeEach
    void start() throws IOException {
        byte[] elf = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .buildId(new byte[] {1, 1, 1, 1, 1, 1, 1, 1})
                .toBytes();
        library = Files.write(folder.resolve("library.tar"), Archives.tar(Map.of("usr/lib/liba.so", elf)))
                .toString();
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add((exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body).strip());
        Answer answer = answers.size() > 1 ? answers.remove() : answers.element();
        answer.headers().forEach(exchange.getResponseHeaders()::set);
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private static Answer batch(int status, String state, String... items) {
        return new Answer(
                status,
                Map.of("Content-Type", "application/json"),
                "{\"id\":\"%s\",\"state\":\"%s\",\"items\":[%s]}".formatted(BATCH, state, String.join(",", items)));
    }

    private static String item(String rest) {
        return "{\"buildId\":\"%s\",\"attempts\":1,%s}".formatted(ID, rest);
    }

    @Test
    void buildsAreSentAndWaitedFor() {
        answers.add(batch(202, "active", item("\"state\":\"waiting\"")));
        answers.add(batch(200, "active", item("\"state\":\"fetching\",\"bytes\":1,\"totalBytes\":2")));
        answers.add(
                batch(
                        200,
                        "done",
                        item(
                                "\"state\":\"done\",\"complete\":true,\"coverage\":{\"@ruby\":{\"required\":{\"found\":10,\"of\":10}}}")));

        CommandLineRun run = CommandLineRun.of("prewarm", url, library, "--types", "@ruby", "--priority", "high");

        assertThat(run.err())
                .isEqualToNormalizingNewlines("offsetd: 1 build: " + url + "/v1/prewarms/" + BATCH
                        + "\noffsetd: liba.so " + ID + ": done, @ruby 10 of 10\n");
        assertThat(run.out()).isEqualTo("""
                FILE     BUILD             STATE  COVERAGE        CAUSE
                liba.so  0101010101010101  done   @ruby 10 of 10  -
                """);
        assertThat(run.exitCode()).isZero();
        assertThat(requests)
                .containsExactly(
                        "POST /v1/prewarms {\"builds\":[\"" + ID + "\"],\"names\":{\"" + ID + "\":\"" + library
                                + "!usr/lib/liba.so\"},\"types\":[\"@ruby\"],\"priority\":\"high\"}",
                        "GET /v1/prewarms/" + BATCH,
                        "GET /v1/prewarms/" + BATCH);
    }

    @Test
    void failedBuildIsThreeAndSaysWhy() {
        answers.add(batch(
                202,
                "done",
                item("\"state\":\"failed\",\"cause\":{\"code\":\"not_found\",\"detail\":\"no source has it\"}")));

        CommandLineRun run = CommandLineRun.of("prewarm", url, library, "--json");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("failed, not_found: no source has it");
        JsonNode document = JsonMapper.shared().readTree(run.out());
        assertThat(document.path("complete").asBoolean(true)).isFalse();
        JsonNode build = document.path("builds").path(0);
        assertThat(build.path("cause").path("code").asString()).isEqualTo("not_found");
        assertThat(build.path("files").path(0).asString()).isEqualTo(library + "!usr/lib/liba.so");
        assertThat(build.path("arch").asString()).isEqualTo("x86_64");
        assertThat(run.out()).hasLineCount(1);
    }

    @Test
    void similarBuildsOfAFailedOneAreThoseOfItsItemAndNoFurtherDemand() {
        answers.add(batch(
                202, "done", item("\"state\":\"failed\",\"answer\":\"consensus\",\"cause\":{\"code\":\"not_found\"}")));

        CommandLineRun run = CommandLineRun.of("prewarm", url, library, "--types", "@ruby");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out()).contains("  consensus  ");
        assertThat(requests).singleElement().asString().startsWith("POST /v1/prewarms ");
    }

    @Test
    void setOfFailUnderIsRequestedAndDecides() {
        answers.add(
                batch(
                        202,
                        "done",
                        item(
                                "\"state\":\"done\",\"complete\":false,\"coverage\":{\"@ruby\":{\"required\":{\"found\":9,\"of\":10}}}")));

        assertThat(CommandLineRun.of("prewarm", url, library, "--fail-under", "@ruby=90%")
                        .exitCode())
                .isZero();
        assertThat(CommandLineRun.of("prewarm", url, library, "--fail-under", "@ruby=100%")
                        .exitCode())
                .isEqualTo(3);
        assertThat(CommandLineRun.of("prewarm", url, library, "--types", "@ruby")
                        .exitCode())
                .isEqualTo(3);
        assertThat(requests).allSatisfy(request -> assertThat(request).contains("\"types\":[\"@ruby\"]"));
    }

    @Test
    void moreThanAThousandBuildsAreSeveralBatches() {
        answers.add(batch(202, "done", item("\"state\":\"done\",\"complete\":true")));
        String[] arguments = IntStream.range(0, 1001)
                .boxed()
                .flatMap(number -> List.of("--build-id", "%016x".formatted(number)).stream())
                .toArray(String[]::new);
        String[] all = new String[arguments.length + 2];
        all[0] = "prewarm";
        all[1] = url;
        System.arraycopy(arguments, 0, all, 2, arguments.length);

        // The fake tells of another build only, so these are not there.
        assertThat(CommandLineRun.of(all).exitCode()).isEqualTo(3);

        assertThat(requests)
                .extracting(request -> JsonMapper.shared()
                        .readTree(request.substring(request.indexOf('{')))
                        .path("builds")
                        .size())
                .containsExactly(1000, 1);
    }

    @Test
    void busyServerIsRetriedAfterItsRetryAfter() {
        answers.add(new Answer(503, Map.of("Retry-After", "1"), "{\"title\":\"Full\",\"code\":\"prewarms_full\"}"));
        answers.add(batch(202, "done", item("\"state\":\"done\",\"complete\":true")));

        assertThat(CommandLineRun.of("prewarm", url, library).exitCode()).isZero();
        assertThat(requests).hasSize(2);
    }

    @Test
    void timeThatIsOverLeavesTheBatchToTheServer() {
        answers.add(batch(202, "active", item("\"state\":\"waiting\"")));
        answers.add(batch(200, "active", item("\"state\":\"waiting\"")));

        CommandLineRun run = CommandLineRun.of("prewarm", url, library, "--wait", "1");

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err())
                .contains("not done after 1 s: 0 of 1 build done, 1 waiting; the server continues with " + url
                        + "/v1/prewarms/" + BATCH);
        assertThat(requests).noneMatch(request -> request.startsWith("DELETE"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<html>",
                "{}",
                "{\"id\":\"../../x\",\"state\":\"done\"}",
                "{\"id\":\"a\",\"state\":\"s\",\"items\":[{}]}"
            })
    void responseWithoutABatchIsRejected(String body) {
        answers.add(new Answer(202, Map.of(), body));

        CommandLineRun run = CommandLineRun.of("prewarm", url, library);

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err()).contains("without a batch").hasLineCount(1);
    }

    @Test
    void refusalOfTheServerIsSaid() {
        answers.add(new Answer(
                400, Map.of(), "{\"title\":\"Bad\",\"detail\":\"types[0]: unknown set\",\"code\":\"bad_prewarm\"}"));

        CommandLineRun run = CommandLineRun.of("prewarm", url, library, "--types", "@nothing");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("types[0]: unknown set");
    }

    @Test
    void nothingIsSentWithoutBuilds() throws IOException {
        Path empty = Files.createDirectories(folder.resolve("empty"));

        CommandLineRun none = CommandLineRun.of("prewarm", url, empty.toString());
        CommandLineRun unreadable =
                CommandLineRun.of("prewarm", url, folder.resolve("nowhere").toString());

        assertThat(none.exitCode()).isEqualTo(6);
        assertThat(none.err()).contains("no build in " + empty);
        assertThat(unreadable.exitCode()).isEqualTo(6);
        assertThat(unreadable.err())
                .contains("nowhere\" left out: no such file")
                .hasLineCount(1);
        assertThat(requests).isEmpty();
    }

    @Test
    void pathThatCannotBeReadIsLeftOutAndFailsTheCommand() throws IOException {
        answers.add(batch(202, "done", item("\"state\":\"done\",\"complete\":true")));
        Path cut = Files.write(folder.resolve("cut"), new byte[] {0x7f, 'E', 'L', 'F', 2, 1});

        CommandLineRun run = CommandLineRun.of(
                "prewarm",
                url,
                cut.toString(),
                library,
                folder.resolve("nowhere").toString(),
                "--json");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains(cut + "\" left out: ", "nowhere\" left out: no such file");
        JsonNode document = JsonMapper.shared().readTree(run.out());
        assertThat(document.path("complete").asBoolean()).isFalse();
        assertThat(document.path("builds")).hasSize(1);
        assertThat(document.path("passedOver")
                        .valueStream()
                        .map(left -> left.path("file").asString()))
                .containsExactly(cut.toString(), folder.resolve("nowhere").toString());
    }

    @Test
    void fileOfAFolderThatCannotBeReadFailsTheCommandAndOneOfAnArchiveDoesNot() throws IOException {
        answers.add(batch(202, "done", item("\"state\":\"done\",\"complete\":true")));
        byte[] malformed = {0x7f, 'E', 'L', 'F', 2, 1};
        Path many = Files.createDirectories(folder.resolve("cut"));
        Path cut = Files.write(many.resolve("b.so"), malformed);
        Path compressed = Files.write(cut.resolveSibling("c.so.gz"), Archives.gzip(malformed));
        Path archive = Files.write(folder.resolve("cut.tar"), Archives.tar(Map.of("b.so", malformed)));

        CommandLineRun ofFolder = CommandLineRun.of("prewarm", url, library, many.toString(), "--json");
        CommandLineRun ofArchive = CommandLineRun.of("prewarm", url, library, archive.toString(), "--json");

        assertThat(ofFolder.exitCode()).isEqualTo(3);
        assertThat(ofFolder.err()).contains(cut + "\" left out: ", compressed + "\" left out: ");
        JsonNode document = JsonMapper.shared().readTree(ofFolder.out());
        assertThat(document.path("complete").asBoolean(true)).isFalse();
        assertThat(document.path("builds")).hasSize(1);
        assertThat(ofArchive.exitCode()).isZero();
        assertThat(ofArchive.err()).contains(archive + "!b.so\" skipped: ");
        assertThat(JsonMapper.shared()
                        .readTree(ofArchive.out())
                        .path("complete")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void refusedExecutableFailsTheCommandAndTheBuildIsPrewarmedAllTheSame() throws IOException {
        answers.add(new Answer(422, Map.of(), "{\"title\":\"T\",\"code\":\"not_executable\",\"detail\":\"why\"}"));
        answers.add(batch(202, "done", item("\"state\":\"done\",\"complete\":true")));
        Path program = Files.write(
                folder.resolve("app"),
                new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                        .type(ET_DYN)
                        .buildId(new byte[] {1, 1, 1, 1, 1, 1, 1, 1})
                        .toBytes());

        CommandLineRun run = CommandLineRun.of("prewarm", url, program.toString(), "--executables", "--json");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
        assertThat(run.err()).contains(program + "\" is not sent: why", "executables sent: 0");
        JsonNode document = JsonMapper.shared().readTree(run.out());
        assertThat(document.path("complete").asBoolean(true)).isFalse();
        assertThat(document.path("builds").path(0).path("satisfied").asBoolean())
                .isTrue();
    }

    @Test
    void namedFileOfAnotherKindIsReportedAndFailsTheCommand() throws IOException {
        answers.add(batch(202, "done", item("\"state\":\"done\",\"complete\":true")));
        Path source = Files.writeString(folder.resolve("app.c"), "int main(void) { return 0; }");

        CommandLineRun run = CommandLineRun.of("prewarm", url, library, source.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err())
                .contains(source + "\" left out: expected an ELF file, a package, an archive or an image\n");
        assertThat(run.out()).contains("done");
    }

    @Test
    void standardInputIsNotReadForExecutables() {
        InputStream before = System.in;
        // One that was read would be reported as empty.
        System.setIn(InputStream.nullInputStream());
        try {
            CommandLineRun run = CommandLineRun.of("prewarm", url, "-", "--executables");
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains("--executables reads PATH twice");
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void mistakesAreSeenBeforeAnythingIsSent() {
        for (List<String> arguments : List.of(
                List.of("prewarm", url),
                List.of("prewarm", "ftp://host", library),
                List.of("prewarm", url, library, "--priority", "urgent"),
                List.of("prewarm", url, library, "--fail-under", "ruby"),
                List.of("prewarm", url, library, "--types", "A,,B"),
                List.of("prewarm", url, library, "--build-id", "xyz"),
                List.of("prewarm", url, library, "--name", "["),
                List.of("prewarm", url, library, "--wait", "-1"))) {
            CommandLineRun run = CommandLineRun.of(arguments.toArray(String[]::new));
            assertThat(run.exitCode()).as(arguments.toString()).isEqualTo(2);
            assertThat(run.err()).as(arguments.toString()).hasLineCount(1);
        }
        assertThat(requests).isEmpty();
    }
}
