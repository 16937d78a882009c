package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tokens in the path of a server whose reading is closed. */
@ExtendWith(OutputCaptureExtension.class)
class PathTokenIntegrationTests {

    private static final String OFFSETS = "/v1/offsets/" + SmallBuild.ID + "?types=point.y";
    private static final String FILE = "/buildid/" + SmallBuild.ID + "/debuginfo";

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static String token;
    private static String prefix;

    @BeforeAll
    static void start() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.read-auth=true",
                "offsetd.access-log=true",
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
        token = token(Scope.ADMIN);
        prefix = "/t/" + token;
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String token(Scope scope) {
        return server.bean(Tokens.class)
                .create("tools", Set.of(scope), Duration.ofHours(1), Actor.operator("test"))
                .text();
    }

    @Test
    void tokenInThePathAllowsReading() {
        for (int i = 0; i < 2; i++) {
            HttpResponse<byte[]> answer = server.file("GET", prefix + OFFSETS);
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("Cache-Control").orElse("")).startsWith("private");
            assertThat(answer.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
        }
        HttpResponse<byte[]> file = server.file("GET", prefix + FILE);
        assertThat(file.body()).isEqualTo(SmallBuild.debugFile());
        assertThat(file.headers().firstValue("Cache-Control").orElse("")).startsWith("private");
        assertThat(server.file("GET", FILE).statusCode()).isEqualTo(401);
    }

    @Test
    void tokenInThePathDoesNotAllowWriting() {
        assertThat(status("POST", prefix + "/v1/builds/" + SmallBuild.ID + "/retry"))
                .isEqualTo(403);
        assertThat(status("GET", prefix + "/v1/prewarms")).isEqualTo(403);
        assertThat(status("GET", prefix + "/v1/pins")).isEqualTo(200);
    }

    @Test
    void tokenInThePathServesNothingElse() {
        for (String path : List.of("", "/", "/admin", "/metrics", "/docs", "/t/" + token + FILE, "/../v1/pins")) {
            assertThat(status("GET", prefix + path)).as(path).isIn(400, 404);
        }
        assertThat(status("GET", "/t/offsetd_wrong" + FILE)).isEqualTo(401);
        assertThat(status("GET", "/t/offsetd_wrong/" + FILE)).isEqualTo(401);
        assertThat(status("GET", prefix + "/" + FILE))
                .as("a base URL that ends with a slash")
                .isEqualTo(status("GET", prefix + FILE));
        assertThat(status("GET", "/t//v1/pins")).isEqualTo(401);
    }

    private static int status(String method, String path) {
        return server.file(method, path).statusCode();
    }

    @Test
    void tokenIsInNoLogAndNoBody(CapturedOutput output) throws Exception {
        for (String path : List.of(
                OFFSETS,
                FILE,
                "/v1/pins/none",
                "/v1/offsets/xyz?types=a",
                "/v1/builds?limit=x",
                "/v1/prewarms",
                "/nothing",
                "/admin",
                "",
                "/v1//pins",
                "/v1/pins/%zz",
                "/v1/pins/a%00b",
                "/v1/pins;a=b")) {
            for (String start : List.of(prefix, "/" + prefix)) {
                assertThat(raw("GET " + start + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
                        .as(path)
                        .startsWith("HTTP/1.1 ")
                        .doesNotContain(token);
            }
        }
        // Tomcat rejects these itself: no host, a bad character, a bad version.
        raw("GET " + prefix + FILE + " HTTP/1.1\r\nConnection: close\r\n\r\n");
        raw("GET " + prefix + FILE + "\\ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        raw("GET " + prefix + FILE + " HTTP/9\r\nHost: a\r\nConnection: close\r\n\r\n");
        assertThat(server.file("GET", "/metrics", "Authorization", "Bearer " + token)
                        .body())
                .asString(StandardCharsets.UTF_8)
                .contains("http_server_requests")
                .doesNotContain(token);
        assertThat(output.getAll()).contains("/v1/pins/none").doesNotContain(token);
    }

    @Test
    @ChecklistRow(44)
    void tokenInAnyPlaceOfARequestIsInNoLogAndNoBody(CapturedOutput output) throws Exception {
        String escaped = token.replace("_", "%5F").replace("o", "%6f");
        for (String secret : List.of(token, escaped, escaped.replace("%", "%25"))) {
            for (String target : List.of(
                    "GET /t//%s/v1/pins",
                    "GET /T/%s/v1/pins",
                    "GET /%%74/%s/v1/pins",
                    "GET /t/%s/t/%s",
                    "GET /x/../t/%s/v1/pins",
                    "GET /t/x/%s",
                    "GET /v1/offsets/%s?types=a",
                    "GET /v1/builds?token=%s",
                    "GET /v1/builds?%s=1",
                    "GET /buildid/%s/debuginfo",
                    "GET //%s",
                    "GET /v1/pins/%s\\",
                    "%s /v1/pins",
                    "GET http://%s@a/v1/pins/%s")) {
                String line = target.replace("%%", "\0").replace("%s", secret).replace("\0", "%");
                String answer = raw(line + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-ID: " + token
                        + "\r\nUser-Agent: " + token + "\r\nAccept: application/" + token + "\r\n\r\n");
                assertThat(unescaped(answer)).as(line).startsWith("HTTP/1.1 4").doesNotContain(token);
            }
        }
        assertThat(output.getAll()).contains("/T/hidden/v1/pins", "/t/hidden/hidden/v1/pins");
        assertThat(unescaped(output.getAll())).doesNotContain(token);
    }

    /** Undoes all percent escapes, and escapes of escapes. */
    private static String unescaped(String text) {
        return text.replace("%25", "%").replace("%25", "%").replace("%5F", "_").replace("%6f", "o");
    }

    /** Sends bytes that a client would not send. */
    private static String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            InputStream in = socket.getInputStream();
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
