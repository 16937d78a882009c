package dev.offsetd.cli.symbolize;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.RemoteFrames;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.terminal.Console;
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
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v1/symbolize", exchange -> {
            String query = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            bodies.add(query);
            String reply = query.contains(UNKNOWN)
                    ? "{\"status\":404,\"problem\":{\"detail\":\"no source has this build\"}}"
                    : """
                    {"status":200,"answer":{"addresses":{
                      "file:0x10":{"status":"found","frames":[{"function":"f","file":"a.c","line":9}]},
                      "file:0x20":{"status":"no_segments","detail":"the program is unknown","frames":[]}}}}\
                    """;
            byte[] body = ("{\"answers\":[" + reply + "]}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void eachAddressOfAKnownBuildIsAskedOnceAndUnknownBuildsOnce() throws Exception {
        String stack = "    " + KNOWN + " 0x10\n    " + KNOWN + " 0x20\n    " + UNKNOWN + " 0x10\n    " + UNKNOWN
                + " 0x20\n\n";
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringWriter err = new StringWriter();
        Console console = new Console(out, new PrintWriter(err), null, Console.Output.FILE);
        URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
        try (ServerCalls calls =
                new ServerCalls(url, BearerToken.of("OFFSETD_TOKEN", null), console, Duration.ofSeconds(10))) {
            new TraceFilter(DebugFileFinder.ofSystem(console), console, null, true, new RemoteFrames(console, calls))
                    .run(new ByteArrayInputStream((stack + stack).getBytes(StandardCharsets.UTF_8)));
        }
        console.flush();

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
}
