package dev.offsetd.server.operations.telemetry;

import static dev.offsetd.extractor.testkit.Dw.DW_ATE_signed;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Text from clients, upstreams and files is treated as text in the log, in headers and in bodies. */
@ChecklistRow(26)
@ExtendWith(OutputCaptureExtension.class)
class HostileTextIntegrationTests {

    /** Text that would pass for a log entry at the beginning of a line. */
    private static final String FORGED = "2026-01-01T00:00:00.000Z ERROR forged";

    @TempDir
    private Path folder;

    /** An upstream that answers every request with these bytes and closes the connection. */
    private static final class RawUpstream implements AutoCloseable {

        private final ServerSocket socket;

        RawUpstream(String response) throws IOException {
            socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            Thread.ofVirtual().start(() -> serve(response.getBytes(StandardCharsets.ISO_8859_1)));
        }

        private void serve(byte[] response) {
            while (!socket.isClosed()) {
                try (Socket caller = socket.accept()) {
                    InputStream in = caller.getInputStream();
                    StringBuilder request = new StringBuilder();
                    while (request.indexOf("\r\n\r\n") < 0) {
                        request.append((char) in.read());
                    }
                    caller.getOutputStream().write(response);
                } catch (SocketException e) {
                    // The connection was closed, by this test or by the server.
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        String url() {
            return "http://127.0.0.1:" + socket.getLocalPort() + "/";
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private TestServer server(String... properties) {
        return TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                Stream.concat(Stream.of("offsetd.access-log=true"), Stream.of(properties))
                        .toArray(String[]::new));
    }

    @Test
    void callersWriteNoLogLinesAndNoHeaders(CapturedOutput output) throws IOException {
        try (TestServer server = server("offsetd.offline=true")) {
            String lineEnd = "%0d%0a" + TestServer.escape(FORGED).replace("+", "%20");
            String path = "/v1/offsets/" + SmallBuild.ID;
            for (String target : List.of(
                    "/" + lineEnd,
                    "/v1/offsets/" + lineEnd + "?types=a",
                    path + "?types=a" + lineEnd,
                    path + "?types=a%1b%5b31m,b%00,c%e2%80%a8d",
                    path + "?types=a&lang=" + lineEnd,
                    path + "?types=a&" + lineEnd + "=1",
                    path + "?types=a&view=" + lineEnd)) {
                for (String header : List.of(
                        "User-Agent: \u009b31m " + FORGED,
                        "X-Request-ID: a b\t" + FORGED,
                        "Accept: text/" + "x".repeat(3) + "; q=\"" + FORGED + "\"",
                        "Prefer: wait=1; " + FORGED)) {
                    requireCleanHeaders(raw(server, "GET " + target + " HTTP/1.1\r\nHost: x\r\n" + header + "\r\n"));
                }
            }
            // Tomcat rejects raw control bytes itself.
            requireCleanHeaders(
                    raw(server, "GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-ID: a\u001b\r" + FORGED + "\r\n"));
            requireCleanHeaders(raw(server, "GET /livez\u0007 HTTP/1.1\r\nHost: x\r\n"));
        }
        assertThat(output.getOut()).contains("RequestLog").contains("forged");
        requireCleanLog(output);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 500 Oops\u001b[31m\rforged\r\nRetry-After: 1\u0007\r\nContent-Length: 40\r\n\r\n\r\n",
                "HTTP/1.1 302 Found\r\nLocation: ftp://evil\u001b[31m\u0085.example/\r\nX-Request-ID: evil\r\n\r\n",
                "HTTP/1.1 302 Found\r\nLocation: http://[evil\u001b/\r\nSet-Cookie: a=b\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX-DEBUGINFOD-SIZE: 12\u001b[2J\r\nContent-Type: a\u0007\r\nContent-Length: 60\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Encoding: evil\u001b[2J\r\nX-DEBUGINFOD-FILE: /etc/\u0007\r\n\r\nx\r\n",
                "HTTP/1.1 4\u001b5 Odd\r\n\r\n",
                "\u001b[31m nothing like HTTP\r\n"
            })
    void upstreamsWriteNoLogLinesAndNoHeaders(String response, CapturedOutput output) throws IOException {
        try (RawUpstream upstream = new RawUpstream(response + FORGED + "\r\n" + FORGED + "\u001b\u0007\n");
                TestServer server = server("offsetd.upstreams.urls=" + upstream.url())) {
            String received = raw(server, "GET /v1/offsets/" + SmallBuild.ID + "?types=a HTTP/1.1\r\nHost: x\r\n");
            assertThat(received).startsWith("HTTP/1.1 502 ").doesNotContain("Set-Cookie", "X-Request-ID: evil");
            requireCleanHeaders(received);
            requireCleanBody(received);
        }
        requireCleanLog(output);
    }

    @Test
    void namesInFilesWriteNoLogLines(CapturedOutput output) throws IOException {
        String evil = "evil\r\n" + FORGED + "\u001b[31m";
        SmallBuild.putInto(
                folder.resolve("debug"),
                DwarfWriter.write(
                                DwarfStyle.DEFAULT,
                                unit(
                                        baseType("int", 4, DW_ATE_signed),
                                        struct(evil, 4, member(evil, "int", 0)),
                                        struct("sound", 4, member(evil, "int", 0))))
                        .toElf()
                        .buildId(SmallBuild.ID.toBytes())
                        .toBytes());
        try (TestServer server = server("offsetd.offline=true", "offsetd.local-folders=" + folder.resolve("debug"))) {
            HttpResponse<String> response = server.offsets(SmallBuild.ID, "sound");
            assertThat(Json.item(response, "sound").path("fields").has(evil)).isTrue();
            requireCleanBody("\r\n\r\n" + response.body());
        }
        requireCleanLog(output);
    }

    @Test
    void problemsOfTheDiskShowNoPathToCallers() throws IOException {
        FaultServer upstream = FaultServer.serving(SmallBuild.debugFile(), SmallBuild.debugFile(SmallBuild.UNKNOWN_ID));
        try (upstream;
                TestServer server = server("offsetd.upstreams.urls=" + upstream.url("ok"))) {
            Path cache = folder.resolve("data").resolve("cache");
            deleteTree(cache);
            Files.writeString(cache, "no folder");
            HttpResponse<String> failed = server.offsets(SmallBuild.ID, "point");
            assertThat(failed.statusCode()).as(failed.body()).isEqualTo(503);
            for (String body : List.of(
                    failed.body(),
                    server.get("/v1/builds/" + SmallBuild.ID).body(),
                    server.get("/metrics").body(),
                    server.get("/version").body())) {
                assertThat(body).doesNotContain(folder.toString(), System.getProperty("user.dir"));
            }
        }
    }

    private static void deleteTree(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                Files.delete(file);
            }
        }
    }

    private static void requireCleanLog(CapturedOutput output) {
        assertThat(output.getAll().lines()).noneMatch(line -> line.startsWith(FORGED));
        assertThat(output.getAll().replace("\n", "").replace("\t", "").chars()).noneMatch(Character::isISOControl);
    }

    private static void requireCleanHeaders(String response) {
        int end = response.indexOf("\r\n\r\n");
        assertThat(response).startsWith("HTTP/1.1 ");
        assertThat(end).isPositive();
        String headers = response.substring(0, end);
        assertThat(headers).doesNotContain("forged");
        assertThat(headers.replace("\r\n", "").chars()).noneMatch(Character::isISOControl);
    }

    private static void requireCleanBody(String response) {
        String body = response.substring(response.indexOf("\r\n\r\n") + 4);
        assertThat(body.chars()).noneMatch(Character::isISOControl);
    }

    /** Sends a request verbatim and reads until the server closes the connection. */
    private static String raw(TestServer server, String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write((request + "Connection: close\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
