package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Malformed build-ids in paths are answered with 400, and no file is created or read for them. */
@ChecklistRow({5})
class HostileBuildIdsIntegrationTests {

    /** Texts as sent in the request line. */
    static final List<String> IDS = List.of(
            "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
            "..%2f..%2f..%2f..%2fetc%2fpasswd",
            "..%5c..%5cetc%5cpasswd",
            "%252e%252e%252fetc%252fpasswd",
            "..%c0%afetc",
            "..%00",
            "%00",
            "0123456789abcdef%00",
            "0123456789abcdef%00.debug",
            "0123456789abcdef%0a",
            "0123456789abcdef%0d%0aX-Evil:1",
            "0123456789abcdef.debug",
            "0123456789abcdef%2f..",
            "01%2f23456789abcdef",
            "~root",
            "$(id)",
            "%60id%60",
            "'drop%20table%20builds--",
            "%25s%25s%25n",
            "0123456789abcdeg",
            "0x0123456789abcdef",
            "0123456789abcde",
            "01234567",
            "ab".repeat(65),
            "ab".repeat(4000),
            "%ef%bc%90%ef%bc%91".repeat(8),
            "0123456789abcde%d9%a1",
            "-123456789abcdef0",
            "+123456789abcdef0",
            "*",
            "file:%2f%2f%2fetc%2fpasswd",
            "%ff%fe0123456789abcdef",
            "con");

    private static final List<String> ROUTES = List.of(
            "GET /v1/offsets/%s?types=a",
            "POST /v1/offsets/%s",
            "GET /v1/builds/%s",
            "PUT /v1/builds/%s/debuginfo",
            "GET /v1/builds/%s/debuginfo/precheck",
            "POST /v1/builds/%s/retry");

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer server;
    private static String authorization;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        server = TestServer.start(
                folder.resolve("a/b/data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("a/b/debug"));
        authorization = Publisher.of(server, "ci").authorized()[1];
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @FieldSource("IDS")
    void hostileBuildIdIs400OnEveryRouteAndTouchesNoFile(String id) throws IOException {
        Set<Path> before = files();
        for (String route : ROUTES) {
            String response = raw(route.replace("%s", id));
            assertThat(response).as(route).startsWith("HTTP/1.1 400 ");
            int end = response.indexOf("\r\n\r\n");
            String head = response.substring(0, end);
            assertThat(head)
                    .as(route)
                    .containsIgnoringCase("\r\nContent-Type: application/problem+json")
                    .doesNotContain("X-Evil");
            JsonNode problem = JsonMapper.shared().readTree(response.substring(end + 4));
            assertThat(problem.path("status").asInt()).isEqualTo(400);
            assertThat(problem.path("buildId").isNull()).isTrue();
        }
        assertThat(files()).isEqualTo(before);
        assertThat(database.jdbc()
                        .sql("select count(*) from builds")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void atLeastThirtyHostileTextsAreTested() {
        assertThat(IDS).hasSizeGreaterThanOrEqualTo(30).doesNotHaveDuplicates();
    }

    private static Set<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.collect(Collectors.toSet());
        }
    }

    /** Sends a raw request line, and reads until the server closes the connection. */
    private static String raw(String request) throws IOException {
        String body = request.startsWith("GET")
                ? "\r\n"
                : "Content-Type: application/json\r\nContent-Length: 5\r\n\r\n[\"a\"]";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(10_000);
            String text = request + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: " + authorization
                    + "\r\n" + body;
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
