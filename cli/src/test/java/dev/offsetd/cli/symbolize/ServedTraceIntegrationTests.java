package dev.offsetd.cli.symbolize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.RemoteFrames;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.builds.BuildId;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code symbolize} as a filter, whose builds a server knows. */
class ServedTraceIntegrationTests {

    private static final String KNOWN = "aa".repeat(20);
    private static final String UNKNOWN = "bb".repeat(20);

    private final Queue<String> bodies = new ConcurrentLinkedQueue<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final StringWriter err = new StringWriter();
    private volatile int status = 200;
    private volatile int statusOfUnknown = 404;
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/symbolize", exchange -> {
            String query = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            bodies.add(query);
            String reply = query.contains(UNKNOWN)
                    ? "{\"status\":" + statusOfUnknown + ",\"problem\":{\"detail\":\"no source has this build\"}}"
                    : """
                    {"status":200,"answer":{"addresses":{
                      "file:0x10":{"status":"found","frames":[{"function":"f","file":"a.c","line":9}]},
                      "file:0x20":{"status":"no_segments","detail":"the program is unknown","frames":[]}}}}\
                    """;
            byte[] body = ("{\"answers\":[" + reply + "]}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private Console console() {
        return new Console(out, new PrintWriter(err), null, Console.Output.FILE);
    }

    private ServerCalls calls(Console console) throws CommandFailure {
        URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        return new ServerCalls(url, BearerToken.of("OFFSETD_TOKEN", null), console, Duration.ofSeconds(10));
    }

    private int filter(String trace) throws Exception {
        Console console = console();
        try (ServerCalls calls = calls(console)) {
            return new TraceFilter(
                            DebugFileFinder.ofSystem(console), console, null, true, new RemoteFrames(console, calls))
                    .run(new ByteArrayInputStream(trace.getBytes(StandardCharsets.UTF_8)));
        } finally {
            console.flush();
        }
    }

    @Test
    void eachAddressOfAKnownBuildIsAskedOnceAndUnknownBuildsOnce() throws Exception {
        String stack = "    " + KNOWN + " 0x10\n    " + KNOWN + " 0x20\n    " + UNKNOWN + " 0x10\n    " + UNKNOWN
                + " 0x20\n\n";
        assertThat(filter(stack + stack)).isEqualTo(ExitCode.OK);

        String answered = stack.replaceFirst("\n", "\n  f at a.c:9\n");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo(answered + answered);
        assertThat(err.toString())
                .contains("build " + KNOWN + ": the program is unknown")
                .contains("build " + UNKNOWN + ": no source has this build");
        assertThat(List.copyOf(bodies))
                .containsExactly(
                        "[{\"buildId\":\"" + KNOWN + "\",\"addresses\":[\"file:0x10\"]}]",
                        "[{\"buildId\":\"" + KNOWN + "\",\"addresses\":[\"file:0x20\"],\"returnAddress\":true}]",
                        "[{\"buildId\":\"" + UNKNOWN + "\",\"addresses\":[\"file:0x10\"],\"returnAddress\":true}]");
    }

    @Test
    void refusedTokenEndsTheFilter() {
        status = 401;

        assertThatThrownBy(() -> filter("    " + KNOWN + " 0x10\n"))
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.DENIED));
    }

    @Test
    void failureOfTheServerIsInTheExitCodeAndTheRestIsAnswered() throws Exception {
        statusOfUnknown = 503;

        assertThat(filter("    " + UNKNOWN + " 0x10\n    " + KNOWN + " 0x10\n")).isEqualTo(ExitCode.SERVER_FAILED);
        assertThat(out.toString(StandardCharsets.UTF_8)).endsWith("0x10\n  f at a.c:9\n");
    }

    @Test
    void buildThatOthersShareIsAMistakeOfTheCaller() {
        statusOfUnknown = 409;

        assertThatThrownBy(() -> ask(UNKNOWN))
                .isInstanceOfSatisfying(
                        CommandFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.USAGE));
    }

    private void ask(String build) throws CommandFailure {
        Console console = console();
        try (ServerCalls calls = calls(console)) {
            new RemoteFrames(console, calls).ask(BuildId.parse(build), List.of("0x10"), false);
        }
    }
}
