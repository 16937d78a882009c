package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Malformed requests: whichever layer rejects one, the problem names the faulty part. */
class BadRequestsIntegrationTests {

    private static final String PATH = "/v1/offsets/" + SmallBuild.ID;

    @TempDir
    private static Path data;

    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start(data, TestDatabase.create(), "offsetd.offline=true");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "xyz -> character 1 is not a hex digit",
                "0123456789abcdeg -> character 16 is not a hex digit",
                "012345 -> 6 hex digits",
                "0123456789abcdef0 -> 17 hex digits",
                "..%20passwd -> character 1 is not a hex digit"
            })
    void badBuildIdNamesThePlace(String buildId, String place) {
        HttpResponse<String> response = server.get("/v1/offsets/" + buildId + "?types=a");
        assertProblem(response, 400, "bad_build_id");
        assertThat(Json.of(response).path("detail").asString()).contains(place);
        assertThat(Json.of(response).path("buildId").isNull()).isTrue();
        assertProblem(server.get("/v1/builds/" + buildId), 400, "bad_build_id");
    }

    @Test
    void buildIdThatIsTooLongIsNone() {
        assertProblem(server.get("/v1/offsets/" + "ab".repeat(65) + "?types=a"), 400, "bad_build_id");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "'' -> missing_types",
                "?lang=c -> missing_types",
                "?types -> bad_item",
                "?types= -> bad_item",
                "?types=a,,b -> bad_item",
                "?types=a%5B -> bad_item",
                "?types=a&view=all -> bad_view",
                "?types=a&view=flat&view=flat -> repeated_parameter",
                "?types=a&lang=klingon -> bad_language",
                "?types=a&typs=b -> unknown_parameter",
                "?types=%ff -> bad_query"
            })
    void invalidQueryNamesTheErrorAndTheBuild(String query, String code) {
        HttpResponse<String> response = server.get(PATH + query);
        assertProblem(response, 400, code);
        assertThat(Json.of(response).path("buildId").asString()).isEqualTo(SmallBuild.ID.toString());
    }

    @Test
    void unreadableItemNamesTheItemAndThePosition() {
        JsonNode problem = Json.of(server.get(PATH + "?types=good,b%5B"));
        assertThat(problem.path("item").asString()).isEqualTo("b[");
        assertThat(problem.path("itemNumber").asInt()).isEqualTo(2);
        assertThat(problem.path("position").asInt()).isEqualTo(2);
        assertThat(problem.path("detail").asString()).contains("\"b[\"", "character 2");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "'' -> body is missing; expected a JSON array",
                "{ -> line 1",
                "{\"types\": []} -> body is an object; expected a JSON array",
                "[1] -> body[0] is 1; expected a string",
                "[\"a\", null] -> body[1] is null",
                "[\"a\"] x -> line 1",
            })
    void malformedBodyNamesThePlace(String body, String place) {
        HttpResponse<String> response = server.post(PATH, body, "Content-Type", "application/json");
        assertProblem(response, 400, "bad_body");
        assertThat(Json.of(response).path("detail").asString()).contains(place);
    }

    @Test
    void emptyListHasNoItems() {
        assertProblem(server.post(PATH, "[]", "Content-Type", "application/json"), 400, "bad_item");
    }

    @Test
    void tooManyItemsAreOneProblemForEveryRequest() {
        String items = "a,".repeat(500) + "a";
        String array = "[\"" + items.replace(",", "\",\"") + "\"]";
        String json = "application/json";
        List<JsonNode> problems = List.of(
                Json.of(server.get(PATH + "?types=" + items)),
                Json.of(server.post(PATH, array, "Content-Type", json)),
                batched('"' + items + '"'),
                batched(array));
        for (JsonNode problem : problems) {
            assertThat(problem.path("status").asInt()).as(problem.toString()).isEqualTo(413);
            assertThat(problem.path("code").asString()).isEqualTo("too_large");
            assertThat(problem.path("title").asString()).isEqualTo("The query is too large");
            assertThat(problem.path("limit").asInt()).isEqualTo(500);
        }
    }

    private JsonNode batched(String types) {
        return Json.of(server.post(
                        "/v1/offsets",
                        "[{\"buildId\": \"" + SmallBuild.ID + "\", \"types\": " + types + "}]",
                        "Content-Type",
                        "application/json"))
                .path("answers")
                .path(0)
                .path("problem");
    }

    @Test
    void springsOwnErrorsAreProblems() {
        assertProblem(server.get("/nothing/here"), 404, "no_such_resource");
        assertProblem(server.get("/error"), 404, "no_such_resource");
        HttpResponse<String> wrongMethod = server.send("DELETE", PATH, BodyPublishers.noBody());
        assertProblem(wrongMethod, 405, "method_not_allowed");
        assertThat(wrongMethod.headers().firstValue("Allow")).isPresent();
        assertProblem(server.get(PATH + "?types=a", "Accept", "application/xml"), 406, "not_acceptable");
        assertProblem(server.get("/version", "Accept", "application/xml"), 406, "not_acceptable");
        assertProblem(server.get(PATH + "?types=a", "Accept", ";;"), 406, "not_acceptable");
        assertProblem(server.post(PATH, "x", "Content-Type", "text/plain"), 415, "unsupported_media_type");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/offsets/%zz?types=a HTTP/1.1\r\nHost: x\r\n",
                "GET /v1/offsets/a%2fb?types=a HTTP/1.1\r\nHost: x\r\n",
                "GET /v1/../../etc/passwd HTTP/1.1\r\nHost: x\r\n",
                "GET /v1/offsets/a b?types=a HTTP/1.1\r\nHost: x\r\n",
                "GET /v1/offsets/a\\b?types=a HTTP/1.1\r\nHost: x\r\n",
                "GET /livez?a=\u00e9 HTTP/1.1\r\nHost: x\r\n",
                "GET /livez HTTP/1.1\r\n",
                "GET /livez HTTP/1.1\r\nHost: a b\r\n",
                "GET /livez HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n",
                "GE(T /livez HTTP/1.1\r\nHost: x\r\n",
                "nonsense\r\n"
            })
    void tomcatsOwnErrorsAreProblems(String request) throws IOException {
        String response = raw(request + "Connection: close\r\n\r\n");
        assertThat(response).startsWith("HTTP/1.1 400 ").contains("\r\nX-Request-ID: ");
        assertRawProblem(response, "bad_request");
    }

    @Test
    void headersThatAreTooLargeAreAProblem() throws IOException {
        String response = raw(
                "GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: " + "a".repeat(40_000) + "\r\nConnection: close\r\n\r\n");
        assertThat(response).startsWith("HTTP/1.1 400 ");
        assertRawProblem(response, "bad_request");
    }

    @Test
    void unescapedCharactersOfTypeNamesAreLetThrough() throws IOException {
        String response = raw("GET " + PATH + "?types=std::vector<int>|a[3]|b{}|c^|\"d\" HTTP/1.1\r\nHost: x\r\n"
                + "Connection: close\r\n\r\n");
        // The query is valid; only the build is unknown.
        assertThat(response).startsWith("HTTP/1.1 404 ");
        assertRawProblem(response, "build_not_found");
    }

    private static void assertProblem(HttpResponse<String> response, int status, String code) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertProblem(Json.of(response), status, code);
        assertThat(response.headers().firstValue("X-Request-ID"))
                .hasValue(Json.of(response).path("requestId").asString());
    }

    private static void assertRawProblem(String response, String code) {
        assertThat(response).containsIgnoringCase("\r\nContent-Type: application/problem+json");
        int status = Integer.parseInt(response.substring("HTTP/1.1 ".length(), "HTTP/1.1 200".length()));
        String body = response.substring(response.indexOf("\r\n\r\n") + 4);
        assertProblem(JsonMapper.shared().readTree(body), status, code);
    }

    private static void assertProblem(JsonNode problem, int status, String code) {
        assertThat(problem.propertyNames())
                .contains("type", "title", "status", "detail", "instance", "code", "requestId", "buildId");
        assertThat(problem.path("status").asInt()).isEqualTo(status);
        assertThat(problem.path("code").asString()).isEqualTo(code);
        assertThat(problem.path("type").asString()).isEqualTo("urn:offsetd:problem:" + code);
        assertThat(problem.path("detail").asString()).isNotBlank();
        assertThat(problem.path("requestId").asString()).isNotBlank();
        assertThat(problem.toString()).doesNotContain("Exception", "\tat ", "org.springframework", "org.apache");
    }

    /** Sends bytes verbatim and reads until the server closes the connection. */
    private static String raw(String request) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
