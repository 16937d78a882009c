package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Content negotiation of answers that consist of members and values. */
class ContentNegotiationIntegrationTests {

    private static final String BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

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
    @ValueSource(strings = {"/livez", "/readyz"})
    void healthChecksNegotiateNothing(String path) {
        for (String accept : new String[] {"application/cbor", "text/html;q=0", "x".repeat(2000)}) {
            HttpResponse<String> response = server.get(path, "Accept", accept);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Type").orElseThrow())
                    .startsWith("application/json");
            assertThat(Json.of(response).path("status").asString()).isEqualTo("up");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/version", "/v1/whoami", "/v1/builds", "/v1/demand"})
    void whateverIsJsonIsCborToo(String path) {
        HttpResponse<byte[]> cbor = server.cbor("GET", path, BodyPublishers.noBody(), "Accept", "application/cbor");
        assertThat(cbor.statusCode()).isEqualTo(200);
        assertThat(cbor.headers().firstValue("Content-Type")).contains("application/cbor");
        HttpResponse<String> json = server.get(path);
        assertThat(json.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(Cbor.of(cbor)).isEqualTo(Json.of(json));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*/*",
                "text/html",
                BROWSER,
                "application/cbor;q=0.5, application/json;q=0.6",
                "application/cbor, application/json",
                "application/json;charset=utf-8"
            })
    void whoDoesNotRatherHaveCborGetsJson(String accept) {
        for (String path : new String[] {"/version", "/v1/builds", "/v1/demand"}) {
            assertThat(server.get(path, "Accept", accept).headers().firstValue("Content-Type"))
                    .contains("application/json");
        }
    }

    @Test
    void refusedJsonIsNotSent() {
        assertThat(server.cbor("GET", "/version", BodyPublishers.noBody(), "Accept", "application/json;q=0, */*")
                        .headers()
                        .firstValue("Content-Type"))
                .contains("application/cbor");
        assertThat(server.get("/version", "Accept", "application/json;q=0").statusCode())
                .isEqualTo(406);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/version", "/v1/builds", "/v1/demand"})
    void nothingAcceptableListsWhatThereIs(String path) {
        HttpResponse<String> response = server.get(path, "Accept", "image/png");
        assertThat(response.statusCode()).isEqualTo(406);
        assertThat(Json.of(response).path("available").valueStream().map(type -> type.asString()))
                .contains("application/json", "application/cbor");
    }

    @Test
    void problemsAreJsonWhateverTheCallerTakes() {
        HttpResponse<String> response = server.get("/v1/builds/xyz", "Accept", "application/cbor");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("bad_build_id");
    }
}
