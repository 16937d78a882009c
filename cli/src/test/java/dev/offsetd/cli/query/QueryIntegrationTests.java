package dev.offsetd.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.cli.remote.ConnectionFailure;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code query} against a server that says what the test tells it to. */
class QueryIntegrationTests {

    private static final String ID = "00112233445566778899aabbccddeeff00112233";
    private static final String COMPLETE = """
            {"schemaVersion":1,"buildId":"%s","complete":true,"offsets":{"A":{"status":"found","kind":"struct","size":8}}}
            """.formatted(ID);

    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
    private final Queue<String> accepted = new ConcurrentLinkedQueue<>();
    private final Queue<String> authorizations = new ConcurrentLinkedQueue<>();
    private HttpServer server;
    private String url;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Prefer"));
            accepted.add(exchange.getRequestHeaders().getFirst("Accept"));
            authorizations.addAll(exchange.getRequestHeaders().getOrDefault("Authorization", List.of()));
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            Answer answer = answers.size() > 1 ? answers.remove() : answers.element();
            answer.headers.forEach(exchange.getResponseHeaders()::set);
            byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void jsonIsPrintedAsTheServerSentIt() {
        answers.add(json(200, COMPLETE));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A,B.c", "--json", "--view", "flat");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo(COMPLETE);
        assertThat(run.err()).isEmpty();
        assertThat(requests).containsExactly("GET /v1/offsets/" + ID + "?types=A,B.c&view=flat wait=30");
    }

    @Test
    void framesOfABuildArePrintedOnceTheServerHasReadIt() {
        answers.add(json(200, "{\"answers\":[{\"status\":202,\"build\":{}}]}"));
        answers.add(json(200, """
                {"answers":[{"status":200,"answer":{"complete":false,"addresses":{
                  "0x10":{"status":"found","symbol":{"name":"f","offset":4},"frames":[
                    {"function":"g","file":"a.c","line":3,"column":7,"inlined":true},
                    {"function":"f","file":"a.c","line":9,"column":0,"inlined":false}]},
                  "0x20":{"status":"outside","frames":[]}}}}]}
                """));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "--symbolize", "0x10,0x20");

        assertThat(run).isEqualTo(new CommandLineRun(1, """
                0x10 f+0x4
                  g at a.c:3:7 (inlined)
                  f at a.c:9
                0x20
                  outside
                """, ""));
        assertThat(requests).hasSize(2).allMatch(request -> request.startsWith("POST /v1/symbolize "));
    }

    @Test
    void returnAddressesAreLookedUpOneByteBefore() {
        answers.add(json(200, "{\"answers\":[{\"status\":200,\"answer\":{\"complete\":true,\"addresses\":{}}}]}"));

        CommandLineRun.of("query", url, ID, "--symbolize", "0x10");
        CommandLineRun.of("query", url, ID, "--symbolize", "--return-address", "0x10");
        CommandLineRun.of("query", url, ID, "-r", "--symbolize", "0x10");

        String query = "[{\"buildId\":\"" + ID + "\",\"addresses\":[\"0x10\"]";
        String before = query + ",\"returnAddress\":true}]";
        assertThat(bodies).containsExactly(query + "}]", before, before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--json"})
    void buildWithoutLinesSaysHowTheyAreSent(String json) {
        String addresses = """
                {"0x10":{"status":"no_line","frames":[{"function":"f","file":null,"line":0,"column":0,"inlined":false}]},
                 "0x20":{"status":"%s","frames":[]}}""";
        String answer = "{\"answers\":[{\"status\":200,\"answer\":{\"complete\":false,\"addresses\":%s}}]}";
        answers.add(json(200, answer.formatted(addresses.formatted("no_line"))));
        answers.add(json(200, answer.formatted(addresses.formatted("outside"))));
        String[] command = Stream.of("query", url, ID, "--symbolize", "0x10,0x20", json)
                .filter(word -> !word.isEmpty())
                .toArray(String[]::new);

        CommandLineRun run = CommandLineRun.of(command);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err())
                .isEqualTo("offsetd: the server has functions and no lines at these addresses; offsetd push sends line"
                        + " tables only with --whole\n");
        assertThat(CommandLineRun.of(command).err()).isEmpty();
    }

    @Test
    void callWithoutATokenSaysWhereOneIsNamed(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "offsetd_abc-123");
        answers.add(json(401, "{\"title\":\"Unauthorized\",\"status\":401,\"detail\":\"this requires a token\"}"));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A");

        assertThat(run)
                .isEqualTo(new CommandLineRun(
                        7,
                        "",
                        "offsetd: the server answered 401, Unauthorized: this requires a token; name a file with the"
                                + " token as --token-file, or set OFFSETD_TOKEN; on the server, offsetd token create"
                                + " makes one\n"));
        assertThat(CommandLineRun.of("query", url, ID, "A", "--token-file", file.toString())
                        .err())
                .isEqualTo("offsetd: the server answered 401, Unauthorized: this requires a token\n");
    }

    @Test
    void unknownBuildHasNoFrames() {
        answers.add(
                json(
                        200,
                        "{\"answers\":[{\"status\":404,\"problem\":{\"detail\":\"no source has this build\"},\"answer\":{}}]}"));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "--symbolize", "0x10");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no source has this build");
    }

    @Test
    void nameMapIsPrintedAsYaml() {
        answers.add(new Answer(200, Map.of("Content-Type", "application/yaml"), "# complete: all\ncfp_offset: 16\n"));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "@ruby", "--view", "map", "--map", "runtime-data");

        assertThat(run).isEqualTo(new CommandLineRun(0, "# complete: all\ncfp_offset: 16\n", ""));
        assertThat(requests)
                .containsExactly("GET /v1/offsets/" + ID + "?types=%40ruby&view=map&map=runtime-data wait=30");

        answers.clear();
        answers.add(new Answer(200, Map.of(), "# incomplete: not everything was found\n"));
        assertThat(CommandLineRun.of("query", url, ID, "@ruby", "--view", "map").exitCode())
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"c, text/x-c", "text, text/plain", "tracefs, text/x-tracefs", "bpftrace, text/x-bpftrace"})
    void serverRendersTheOtherFormats(String format, String mediaType) {
        String text = "/* complete: everything was found */\n\n#define A_x_OFFSET 4\n";
        answers.add(new Answer(200, Map.of("Content-Type", mediaType), text));

        assertThat(CommandLineRun.of("query", url, ID, "A.x", "--format", format))
                .isEqualTo(new CommandLineRun(0, text, ""));
        assertThat(requests).containsExactly("GET /v1/offsets/" + ID + "?types=A.x wait=30");
        assertThat(accepted).containsExactly(mediaType);

        answers.clear();
        answers.add(new Answer(200, Map.of(), "/* incomplete: not everything was found */\n"));
        assertThat(CommandLineRun.of("query", url, ID, "A.x", "--format", format)
                        .exitCode())
                .isEqualTo(1);
    }

    @Test
    void tokenOfAFileIsShown(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "offsetd_abc-123\n");
        answers.add(json(200, COMPLETE));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A", "--json", "--token-file", file.toString());

        assertThat(run.exitCode()).isZero();
        assertThat(authorizations).containsExactly("Bearer offsetd_abc-123");
        assertThat(run.err()).doesNotContain("abc-123");
    }

    @Test
    void tokenGoesNowhereElse(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), "offsetd_abc-123");
        answers.add(new Answer(302, Map.of("Location", url + "/elsewhere"), "{}"));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A", "--token-file", file.toString());

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(requests).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "two\nlines", "Bearer:x"})
    void fileWithoutATokenIsRefused(String text, @TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("token"), text);

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A", "--token-file", file.toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(file.toString(), "expected");
        assertThat(requests).isEmpty();
    }

    @Test
    void fileOfATokenHasToBeThere(@TempDir Path folder) {
        CommandLineRun run = CommandLineRun.of(
                "query", url, ID, "A", "--token-file", folder.resolve("none").toString());

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("cannot be read");
    }

    @Test
    void tableBeginsWithTheNameOfTheBuild() {
        answers.add(json(200, COMPLETE));
        answers.add(json(200, """
                {"buildId":"%s","arch":{"machine":"x86_64"},"identity":{"title":"liba.so.1 1.2, Debian 13"}}""".formatted(ID)));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A");

        assertThat(run.out()).startsWith("liba.so.1 1.2, Debian 13, x86_64 (00112233)\n\nA: struct, 8 bytes\n");
        assertThat(requests).last().asString().startsWith("GET /v1/builds/" + ID + " ");
    }

    @Test
    void fileStandsForItsBuild(@TempDir Path folder) throws IOException {
        answers.add(json(200, COMPLETE));
        Path file = Files.write(
                folder.resolve("libruby.so"),
                new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                        .buildId(BuildId.parse(ID).toBytes())
                        .toBytes());

        CommandLineRun run = CommandLineRun.of("query", url, file.toString(), "A", "--json");

        assertThat(run).isEqualTo(new CommandLineRun(0, COMPLETE, ""));
        assertThat(requests).containsExactly("GET /v1/offsets/" + ID + "?types=A wait=30");
    }

    @Test
    void fileThatIsNotAnElfFileIsNamed(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("notes.txt"), "no ELF file, but long enough");

        CommandLineRun run = CommandLineRun.of("query", url, file.toString(), "A");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains(file + ": ").contains("expected an ELF file");
        assertThat(requests).isEmpty();
    }

    @Test
    void serverKnowsTheRestOfAShortBuildId() {
        answers.add(json(200, "{\"builds\":[{\"buildId\":\"%s\"}]}".formatted(ID)));
        answers.add(json(200, COMPLETE));

        CommandLineRun run = CommandLineRun.of("query", url, "001122334", "A", "--json");

        assertThat(run).isEqualTo(new CommandLineRun(0, COMPLETE, ""));
        assertThat(requests)
                .containsExactly(
                        "GET /v1/builds?limit=3&state=extracted&q=001122334 null",
                        "GET /v1/offsets/" + ID + "?types=A wait=30");
    }

    @ParameterizedTest
    @CsvSource({
        "0011, 2, several build-ids begin with 0011",
        "ffff, 1, the server knows no build-id that begins with ffff",
        "001, 2, \"001\" is neither a file nor a build-id; expected a file of the build",
        "/nowhere/lib.so, 2, four or more of its first digits",
        "sha256:12, 2, sha256: and its value",
        "/tmp, 2, \"/tmp\" is a folder; expected a file of the build"
    })
    void shortBuildIdOfNoneOrOfTwoBuildsIsRefused(String digits, int exitCode, String message) {
        answers.add(json(
                200,
                "{\"builds\":[{\"buildId\":\"%s\"},{\"buildId\":\"%s\"}]}".formatted(ID, ID.replace("3344", "3345"))));

        CommandLineRun run = CommandLineRun.of("query", url, digits, "A");

        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.err()).contains(message).hasLineCount(1);
        assertThat(requests).noneMatch(request -> request.contains("/v1/offsets/"));
    }

    @Test
    void storedBuildsWinOverRememberedMisses() {
        answers.add(json(200, "{\"builds\":[]}"));
        answers.add(json(200, "{\"builds\":[{\"buildId\":\"%s\"}]}".formatted(ID)));
        answers.add(json(200, COMPLETE));

        assertThat(CommandLineRun.of("query", url, "0011", "A", "--json").out()).isEqualTo(COMPLETE);

        assertThat(requests)
                .startsWith("GET /v1/builds?limit=3&state=extracted&q=0011 null", "GET /v1/builds?limit=3&q=0011 null");
    }

    @ParameterizedTest
    @ValueSource(strings = {"A", "--symbolize"})
    void digitsThatAreNoWholeBuildIdAreThoseOfALongerOne(String query) {
        String digits = ID.substring(0, 16);
        boolean symbolize = query.equals("--symbolize");
        String problem = "{\"title\":\"No such build\",\"detail\":\"no source has it\"}";
        String frames = "{\"complete\":true,\"addresses\":{}}";
        answers.add(
                symbolize
                        ? json(200, "{\"answers\":[{\"status\":404,\"problem\":" + problem + "}]}")
                        : json(404, problem));
        answers.add(json(200, "{\"builds\":[{\"buildId\":\"%s\"},{\"buildId\":\"%s\"}]}".formatted(digits, ID)));
        answers.add(json(200, symbolize ? "{\"answers\":[{\"status\":200,\"answer\":" + frames + "}]}" : COMPLETE));

        CommandLineRun run = symbolize
                ? CommandLineRun.of("query", url, digits, "0x10", "--symbolize", "--json")
                : CommandLineRun.of("query", url, digits, "A", "--json");

        assertThat(run).isEqualTo(new CommandLineRun(0, symbolize ? frames + "\n" : COMPLETE, ""));
        assertThat(requests).element(1).isEqualTo("GET /v1/builds?limit=3&state=extracted&q=" + digits + " null");
    }

    @Test
    void digitsOfNoLongerBuildIdAreNotFound() {
        answers.add(json(404, "{\"title\":\"No such build\",\"detail\":\"no source has it\"}"));
        answers.add(json(200, "{\"builds\":[]}"));

        CommandLineRun run = CommandLineRun.of("query", url, ID.substring(0, 16), "A");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("no source has it").hasLineCount(1);
    }

    @Test
    void answerWithAMissingItemIsIncomplete() {
        answers.add(json(200, COMPLETE.replace("true", "false")));

        assertThat(CommandLineRun.of("query", url, ID, "A", "--json").exitCode())
                .isEqualTo(1);
    }

    @Test
    void buildInProgressIsQueriedAgain() {
        answers.add(new Answer(202, Map.of("Retry-After", "1"), "{}"));
        answers.add(json(200, COMPLETE));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A", "--json");

        assertThat(run.exitCode()).isZero();
        assertThat(requests).hasSize(2);
    }

    @Test
    void waitingEndsWhenItWasSaidTo() {
        answers.add(new Answer(202, Map.of("Retry-After", "1"), "{}"));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A", "--wait", "0");

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err()).contains("still reading build " + ID).hasLineCount(1);
        assertThat(requests).singleElement().asString().endsWith(" wait=0");
    }

    @ParameterizedTest
    @CsvSource({"400,2", "403,7", "404,1", "422,3", "500,4", "502,4", "503,4", "504,4"})
    void problemsAreOneLineAndAnExitCode(int status, int exitCode) {
        answers.add(new Answer(status, Map.of("Content-Type", "application/problem+json", "Retry-After", "60"), """
                {"title":"No such build","status":404,"detail":"no source has it","checked":[
                  {"source":"https://example.org/","outcome":"not_found","detail":"404"}]}"""));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A");

        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .isEqualToIgnoringNewLines("offsetd: the server answered " + status
                        + ", No such build: no source has it; https://example.org/: 404; try again after 60 s");
    }

    @Test
    void urlWithoutAServerOfTheApiIsInvalid() {
        for (String addresses : List.of("A", "0x10 --symbolize")) {
            answers.add(new Answer(404, Map.of("Content-Type", "application/problem+json"), """
                    {"title":"No such resource","status":404,"code":"no_such_resource","detail":"nothing is served"}"""));

            CommandLineRun run = CommandLineRun.of(("query " + url + "/foo " + ID + " " + addresses).split(" ", -1));

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .isEqualTo(
                            "offsetd: the server answered 404, No such resource: nothing is served; check the URL\n");
        }
    }

    @Test
    void sourceThatTheDetailNamesIsNotNamedAgain() {
        answers.add(new Answer(502, Map.of("Content-Type", "application/problem+json"), """
                {"title":"Source failed","status":502,"detail":"https://a.example/ answered 500","checked":[
                  {"source":"https://a.example/","outcome":"failed","detail":"500"},
                  {"source":"https://b.example/","outcome":"not_found"}]}"""));

        assertThat(CommandLineRun.of("query", url, ID, "A").err())
                .isEqualTo("offsetd: the server answered 502, Source failed: https://a.example/ answered 500;"
                        + " https://b.example/: not_found\n");
    }

    @ParameterizedTest
    @CsvSource({"200,<html>hello</html>", "200,''", "200,{}", "200,[1", "404,not here", "500,oops"})
    void responseOfAnotherServerIsRejected(int status, String body) {
        answers.add(new Answer(status, Map.of("Content-Type", "text/html"), body));

        CommandLineRun run = CommandLineRun.of("query", url, ID, "A", "--json");

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .contains("with \"text/html\"; expected JSON from an offsetd server")
                .hasLineCount(1);
    }

    @Test
    void schemeOfTheUrlMayBeOmitted() {
        answers.add(json(200, COMPLETE));

        assertThat(CommandLineRun.of("query", url.substring("http://".length()), ID, "A", "--json"))
                .isEqualTo(new CommandLineRun(0, COMPLETE, ""));
    }

    @Test
    void refusedConnectionsAndUnknownHostsAreNamed() throws Exception {
        int freePort = FreePort.any();

        assertThat(CommandLineRun.of("query", "127.0.0.1:" + freePort, ID, "A"))
                .isEqualTo(new CommandLineRun(
                        4,
                        "",
                        "offsetd: connection refused: 127.0.0.1:" + freePort + "; no server is listening there\n"));
        assertThat(ConnectionFailure.describe(new ConnectException(), URI.create("http://127.0.0.1")))
                .isEqualTo("connection refused: 127.0.0.1:80; offsetd listens on port 8080 by default");
        assertThat(CommandLineRun.of("query", "http://nowhere.invalid", ID, "A").err())
                .startsWith("offsetd: unknown host: nowhere.invalid; expected ")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @CsvSource({
        "https://, HTTP/1.1 400 Bad Request, offsetd: not a TLS server: 127.0.0.1:%d; expected http:// in the URL",
        "http://, '', offsetd: connection closed without an answer: 127.0.0.1:%d; a TLS server expects https:// in the URL"
    })
    void mistakenSchemesAreNamed(String scheme, String response, String message) throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> answerEach(other, response));

            assertThat(CommandLineRun.of("query", scheme + "127.0.0.1:" + other.getLocalPort(), ID, "A")
                            .err())
                    .isEqualTo(message.formatted(other.getLocalPort()) + "\n");
        }
    }

    /** Answers each connection, because the client tries again when the first one breaks. */
    private static void answerEach(ServerSocket other, String response) {
        while (!other.isClosed()) {
            try (Socket connection = other.accept()) {
                assertThat(connection.getInputStream().read(new byte[1 << 13])).isPositive();
                connection.getOutputStream().write(response.getBytes(StandardCharsets.UTF_8));
            } catch (SocketException end) {
                // The test closed the socket.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"7, 7", "7s, 7", "0m, 0", "0h, 0", "0d, 0"})
    void timeToWaitIsInSecondsUnlessItHasAUnit(String time, int seconds) {
        answers.add(json(200, COMPLETE));

        CommandLineRun.of("query", url, ID, "A", "--wait", time);

        assertThat(requests.element()).endsWith(" wait=" + seconds);
    }

    @Test
    void timeInAnotherFormIsNamed() {
        for (String wait : List.of("5sec", "-1", "1.5h", "", "PT5S", "9999999", "٣")) {
            CommandLineRun run = CommandLineRun.of("query", url, ID, "A", "--wait", wait);

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err())
                    .startsWith("offsetd: --wait is ")
                    .contains("; expected a time such as 90s, 10m or 6h");
        }
    }

    @Test
    void mistakesAreSeenBeforeAnythingIsSent() {
        for (List<String> arguments : List.of(
                List.of("query", "ftp://host", ID, "A"),
                List.of("query", "host:port", ID, "A"),
                List.of("query", url, "xyz", "A"),
                List.of("query", url, ID, "0x10,zz", "--symbolize"),
                List.of("query", url, ID, "0x10", "--symbolize", "--format", "c"),
                List.of("query", url, ID, "A", "--return-address"),
                List.of("query", "--bundle", "none", ID, "A", "--format", "text"),
                List.of("query", url, ID, "A", "--format", "yaml"),
                List.of("query", url, ID, "A", "--format", "c", "--json"),
                List.of("query", url, ID, "A,,B"),
                List.of("query", url, ID, "A", "--wait", "-1"),
                List.of("query", url, ID, "A", "--view", "tree"),
                List.of("query", url, ID))) {
            CommandLineRun run = CommandLineRun.of(arguments.toArray(String[]::new));
            assertThat(run.exitCode()).as(arguments.toString()).isEqualTo(2);
            assertThat(run.err()).as(arguments.toString()).hasLineCount(1);
        }
        assertThat(requests).isEmpty();
    }

    private static Answer json(int status, String body) {
        return new Answer(status, Map.of("Content-Type", "application/json"), body);
    }

    private record Answer(int status, Map<String, String> headers, String body) {}
}
