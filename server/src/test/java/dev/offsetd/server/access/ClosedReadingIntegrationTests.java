package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** If reading needs a token, shared caches do not store answers. */
@ChecklistRow(22)
class ClosedReadingIntegrationTests {

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static String reader = "";

    @BeforeAll
    static void start() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.read-auth=true");
        reader = "Bearer "
                + server.bean(Tokens.class)
                        .create("profilers", Set.of(Scope.READ), Duration.ofHours(1), Actor.operator("test"))
                        .text();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void assertPrivate(HttpResponse<String> response) {
        assertThat(response.headers().allValues("Cache-Control"))
                .singleElement()
                .asString()
                .startsWith("private, max-age=");
        assertThat(String.join(", ", response.headers().allValues("Vary"))).contains("Authorization", "Accept");
    }

    @Test
    void answersArePrivate() {
        assertPrivate(server.offsets(SmallBuild.ID, "point", "Authorization", reader));
        assertPrivate(server.offsets(SmallBuild.ID, "nothing", "Authorization", reader));
        assertPrivate(server.offsets(SmallBuild.UNKNOWN_ID, "point", "Authorization", reader));
    }

    @Test
    void notModifiedIsPrivate() {
        HttpResponse<String> first = server.offsets(SmallBuild.ID, "point", "Authorization", reader);
        HttpResponse<String> again = server.offsets(
                SmallBuild.ID,
                "point",
                "Authorization",
                reader,
                "If-None-Match",
                first.headers().firstValue("ETag").orElseThrow());
        assertThat(again.statusCode()).isEqualTo(304);
        assertPrivate(again);
    }

    @Test
    void refusalIsNotCached() {
        HttpResponse<String> refused = server.offsets(SmallBuild.ID, "point");
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(refused.headers().allValues("Cache-Control")).containsExactly("no-store");
        assertThat(refused.headers().allValues("Vary")).contains("Authorization");
    }

    @Test
    void whoamiReturnsTokenScopesAndRateLimit() {
        JsonNode caller = Json.of(server.get("/v1/whoami", "Authorization", reader));
        assertThat(caller.path("name").asString()).isEqualTo("profilers");
        assertThat(caller.path("scopes").valueStream().map(JsonNode::asString)).containsExactly("read");
        assertThat(caller.path("token").path("expiresAt").asString()).isNotEmpty();
        assertThat(caller.path("rateLimit").path("by").asString()).isEqualTo("token");
    }

    @Test
    void whoamiNeedsNoToken() {
        HttpResponse<String> response = server.get("/v1/whoami");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        JsonNode caller = Json.of(response);
        assertThat(caller.path("name").asString()).isEqualTo("anonymous");
        assertThat(caller.path("scopes").isEmpty()).isTrue();
        assertThat(caller.has("token")).isFalse();
        assertThat(caller.path("rateLimit").path("by").asString()).isEqualTo("address");
    }

    @Test
    void everyResponseHasSecurityHeaders() {
        for (String path : new String[] {"/version", "/v1/offsets/" + SmallBuild.ID, "/nothing"}) {
            HttpResponse<String> response = server.get(path);
            assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
            assertThat(response.headers().firstValue("Referrer-Policy")).contains("no-referrer");
            assertThat(response.headers().firstValue("Content-Security-Policy"))
                    .contains("default-src 'none'; frame-ancestors 'none'");
            assertThat(response.headers().firstValue("Strict-Transport-Security"))
                    .isEmpty();
            assertThat(response.headers().firstValue("Set-Cookie")).isEmpty();
        }
    }
}
