package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.RawRequest.RawResponse;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Forbidden characters and oversized headers in every part of a request. */
@ChecklistRow({39, 40})
@Timeout(300)
class RequestTextIntegrationTests {

    private static final String OFFSETS = "/v1/offsets/" + SmallBuild.UNKNOWN_ID;

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static String admin;

    @BeforeAll
    static void start() {
        server = TestServer.start(folder, TestDatabase.create(), "offsetd.offline=true");
        admin = "Authorization: Bearer "
                + server.bean(Tokens.class)
                        .create("admin", Set.of(Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                        .text();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void assertProblem(RawResponse response, String code, String detail) {
        assertThat(response.status()).as(response.body()).isEqualTo(400);
        JsonNode problem = JsonMapper.shared().readTree(response.body());
        assertThat(problem.path("code").asString()).as(response.body()).isEqualTo(code);
        assertThat(problem.path("detail").asString()).contains(detail);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "/v1/builds?q=a%00b -> parameter \"q\", character 2: U+0000",
                "/v1/builds?q=%c3%bc%c2%85 -> parameter \"q\", character 2: U+0085",
                "/v1/builds/0123456789abcdef0123456789abcdef01234567/types?q=%1b -> parameter \"q\", character 1: U+001B",
                "/v1/builds?%00=1 -> the name of parameter",
                "/v1/offsets/0123456789abcdef0123456789abcdef01234567?types=a,b%00 -> parameter \"types\", character 4: U+0000",
                "/v1/resolve/0123456789abcdef0123456789abcdef01234567?expr=a%7f -> parameter \"expr\", character 2: U+007F",
                "/v1/symbols/0123456789abcdef0123456789abcdef01234567?names=%00 -> parameter \"names\", character 1: U+0000",
                "/v1/type-sets/a%01 -> the path, character 16: U+0001",
                "/version?x=%01 -> parameter \"x\", character 1: U+0001"
            })
    void controlCharactersInUrlsAreRefusedWithTheirPosition(String target, String position) {
        assertProblem(RawRequest.send(server.port(), "GET", target), "bad_text", position);
    }

    @Test
    void lineEndsAndTabsAreAllowed() {
        assertThat(RawRequest.send(server.port(), "GET", OFFSETS + "?types=a,%0d%0a%09b")
                        .status())
                .isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Prefer",
                "If-None-Match",
                "Content-Type",
                "Accept-Encoding",
                "X-Request-ID",
                "Authorization",
                "Cookie",
                "X-Other"
            })
    void controlCharactersInHeadersAreRefusedWithTheirPosition(String name) {
        for (String path : new String[] {OFFSETS + "?types=a", "/v1/builds", "/version"}) {
            assertProblem(
                    RawRequest.send(server.port(), "GET", path, name + ": ab\u0085c"),
                    "bad_text",
                    "header " + name + ", character 3: U+0085");
        }
    }

    @Test
    void utf8InHeadersIsAllowed() {
        // Read as Latin-1, the bytes of these letters would be control characters.
        String name = new String("Öffner €".getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        for (String header : new String[] {"X-Client: " + name, "User-Agent: " + name, "X-Client: \u00e9"}) {
            assertThat(RawRequest.send(server.port(), "GET", "/version", header).status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[\"a\", \"b\\u0000\"] -> bad_text -> body[1], character 2: U+0000",
                "[\"\\ud800\"] -> bad_text -> body[0], character 1: U+D800",
                "{\"a\": {\"b\\u0085\": 1}} -> bad_text -> the name of a.",
                "[{\"a\": {\"b\": 1, \"b\": 2}}] -> bad_body -> line 1, column 20: member \"b\" is given twice",
                "NUMBER -> bad_body -> a number or a name is too long",
                "[NUMBER] -> bad_body -> a number or a name is too long",
                "NESTING -> bad_body -> the nesting is too deep",
                "[] {} -> bad_body -> text after the JSON value"
            })
    void textAndNumbersInBodiesAreRefusedWithTheirPosition(String row) {
        String[] parts = row.split(" -> ", 3);
        assertBody(parts[0], parts[1], parts[2]);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            quoteCharacter = '`',
            value = {
                "/v1/pins -> 'buildId':'BUILD','item':'T','reason':'r','value':{'size':'1'}"
                        + " -> value.size is '1'; expected an integer",
                "/v1/pins -> 'buildId':'BUILD','item':'T','reason':'r','value':{'size':1.0}"
                        + " -> value.size is 1.0; expected an integer",
                "/v1/pins -> 'buildId':'BUILD','item':1,'reason':'r','value':{'size':1}"
                        + " -> item is 1; expected a string",
                "/v1/prewarms -> 'builds':['BUILD'],'types':[1.0] -> types[0] is 1.0; expected a string",
                "/v1/prewarms -> 'builds':['BUILD'],'priority':1 -> priority is 1; expected",
                "/v1/type-sets/own -> 'name':'own','version':'1','items':[{'item':'T'}]"
                        + " -> version: '1'; expected an integer",
                "/v1/type-sets/own -> 'name':'own','version':1.0,'items':[{'item':'T'}]"
                        + " -> version: 1.0; expected an integer",
                "/v1/type-sets/own -> 'name':'own','version':1,'items':[{'item':'T'}],"
                        + "'maps':{'a':{'title':'t','names':{'x':{'constant':'1'}}}}"
                        + " -> maps.a.names.x.constant: '1'; expected an integer",
                "/v1/type-sets/own -> 'name':'own','version':1,'items':[{'item':'T'}],"
                        + "'maps':{'a':{'title':'t','names':{'x':{'size':'T','ifAbsent':1.0}}}}"
                        + " -> maps.a.names.x.ifAbsent: 1.0; expected an integer"
            })
    void valuesAreNotConvertedToTheExpectedType(String path, String members, String detail) {
        HttpResponse<String> response = server.send(
                path.startsWith("/v1/type-sets") ? "PUT" : "POST",
                path,
                BodyPublishers.ofString(
                        ('{' + members + '}').replace('\'', '"').replace("BUILD", SmallBuild.UNKNOWN_ID.toString())),
                "Content-Type",
                "application/json",
                "Authorization",
                admin.substring("Authorization: ".length()));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(JsonMapper.shared().readTree(response.body()).path("detail").asString())
                .contains(detail.replace('\'', '"'));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/offsets", "/v1/symbols", "/v1/symbolize", "/v1/checks?q=x"})
    void encodedBodiesAreRefusedOnEveryRoute(String path) {
        HttpResponse<String> response =
                server.post(path, "{}", "Content-Type", "application/json", "Content-Encoding", "gzip");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(415);
        assertThat(response.headers().firstValue("Accept-Encoding").orElse("")).isEqualTo("identity");
        assertThat(response.body()).contains("unsupported_coding", "Content-Encoding \\\"gzip\\\"; expected none");
    }

    private static void assertBody(String body, String code, String position) {
        String json = body.replace("NUMBER", "9".repeat(1_001)).replace("NESTING", "[".repeat(20_000));
        for (String path : new String[] {OFFSETS, "/v1/offsets", "/v1/symbols/" + SmallBuild.UNKNOWN_ID}) {
            HttpResponse<String> response = server.post(path, json, "Content-Type", "application/json");
            assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
            JsonNode problem = JsonMapper.shared().readTree(response.body());
            assertThat(problem.path("code").asString()).isEqualTo(code);
            assertThat(problem.path("detail").asString()).contains(position);
        }
    }

    @Test
    void controlCharactersInFormsAreRefused() {
        AdminClient client = AdminClient.signIn(server);
        for (Map.Entry<String, String> form : Map.of(
                        "/admin/tokens", "label",
                        "/admin/users", "name",
                        "/admin/prewarms", "types",
                        "/admin/pins", "reason",
                        "/admin/type-sets/-/new", "document")
                .entrySet()) {
            HttpResponse<String> response = client.post(form.getKey(), Map.of(form.getValue(), "a\0"));
            assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
            assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
            assertThat(response.headers().firstValue("Content-Security-Policy")).isPresent();
            assertThat(response.body()).contains(form.getValue(), "character 2: U+0000");
        }
        assertThat(client.get("/admin/builds?q=%00").statusCode()).isEqualTo(400);
        assertThat(client.get("/admin/builds?q=%ff").statusCode()).isEqualTo(400);
        assertThat(client.get("/admin/builds?q=" + "a&".repeat(2_000)).statusCode())
                .isEqualTo(400);
        assertThat(AdminClient.anonymous(server).signIn("a\0", "b").statusCode())
                .isEqualTo(400);
    }

    /** The letter is that of the list's cursors; no list has a position of one byte, NUL. */
    @ParameterizedTest
    @CsvSource({
        "/v1/builds, b",
        "/v1/builds/0123456789abcdef0123456789abcdef01234567/types, t",
        "/v1/demand, c",
        "/v1/demand?sort=last_asked, l",
        "/v1/events, v",
        "/v1/exports/sets/ruby, x",
        "/v1/pins, p",
        "/v1/prewarms, w",
        "/v1/releases?set=ruby, e",
        "/v1/type-sets, s",
        "/admin/audit, a",
        "/admin/builds, b",
        "/admin/checks?types=@ruby, k",
        "/admin/demand, c",
        "/admin/events, V",
        "/admin/pins, p",
        "/admin/prewarms, w",
        "/admin/type-sets, t",
        "/admin/type-sets/ruby, b"
    })
    void forgedCursorsAreRefused(String list, String letter) {
        String cursor = Base64.getUrlEncoder().encodeToString((letter + '\0').getBytes(StandardCharsets.US_ASCII));
        String path = list + (list.indexOf('?') < 0 ? '?' : '&') + "cursor=" + cursor;

        HttpResponse<String> response = path.startsWith("/admin")
                ? AdminClient.signIn(server).get(path)
                : server.get(path, "Authorization", admin.substring("Authorization: ".length()));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(response.body()).contains("the cursor is not from this list");
    }

    @Test
    void forgedCursorOfChecksIsRefused() {
        HttpResponse<String> response = server.post("/v1/checks?types=@ruby&cursor=awA", "");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(response.body()).contains("bad_cursor");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/builds", "/version", "/metrics", "/v1/type-sets", "/v1/type-sets/ruby"})
    void oversizedAcceptIsIgnored(String path) {
        String refusesAll = "Accept: */*;q=0";
        String tooLong = ", a/" + "b".repeat(RequestTextValve.MAX_ACCEPT_BYTES);
        String tooMany = ", a/b".repeat(RequestTextValve.MAX_ACCEPT_ENTRIES);
        for (String more : new String[] {tooLong, tooMany}) {
            assertThat(RawRequest.send(server.port(), "GET", path, refusesAll + more)
                            .status())
                    .isEqualTo(200);
        }
        String[] lines = new String[RequestTextValve.MAX_ACCEPT_ENTRIES + 1];
        java.util.Arrays.fill(lines, refusesAll);
        assertThat(RawRequest.send(server.port(), "GET", path, lines).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/v1/builds", "/version", "/v1/type-sets", "/v1/type-sets/ruby"})
    void acceptOfMaximumSizeIsUsed(String path) {
        String refusesAll = "Accept: */*;q=0";
        String many = ", a/b".repeat(RequestTextValve.MAX_ACCEPT_ENTRIES - 1);
        String longest = ", a/" + "b".repeat(RequestTextValve.MAX_ACCEPT_BYTES - "*/*;q=0, a/".length());
        for (String more : new String[] {"", many, longest}) {
            assertThat(RawRequest.send(server.port(), "GET", path, refusesAll + more)
                            .status())
                    .isEqualTo(406);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/metrics", "/v1/builds", "/version", "/livez"})
    void emptyAcceptIsIgnored(String path) {
        for (String accept : new String[] {"Accept:", "Accept: ", "Accept:\t"}) {
            assertThat(RawRequest.send(server.port(), "GET", path, accept).status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/v1/builds/0123456789abcdef0123456789abcdef01234567/debuginfo",
                "/v1/type-sets/own",
                "/v1/pins/00000000-0000-4000-8000-000000000000"
            })
    void partialPutIsRefused(String path) {
        RawResponse response =
                RawRequest.send(server.port(), "PUT", path, admin, "Content-Range: bytes 0-1/2", "Content-Length: 0");
        assertProblem(response, "partial_put", "Content-Range");
    }
}
