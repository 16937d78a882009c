package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading by scripts of other sites, as browsers request it. */
class CorsIntegrationTests {

    private static final String SITE = "https://example.com";
    private static final String PATH = "/v1/offsets/" + SmallBuild.ID + "?types=point";

    private static TestServer server;
    private static TestServer without;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        TestDatabase database = TestDatabase.create();
        String debug = "offsetd.local-folders=" + folder.resolve("debug");
        server = TestServer.start(
                folder.resolve("with"),
                database,
                "offsetd.offline=true",
                debug,
                "offsetd.cors.allowed-origins=https://other.example:8443," + SITE);
        without = TestServer.start(folder.resolve("without"), database, "offsetd.offline=true", debug);
    }

    @AfterAll
    static void stop() {
        server.close();
        without.close();
    }

    private static String header(HttpResponse<?> response, String name) {
        return String.join(", ", response.headers().allValues(name));
    }

    private static HttpResponse<String> preflight(TestServer to, String origin, String method, String path) {
        return preflight(to, origin, method, path, "authorization,content-type,if-none-match,prefer");
    }

    private static HttpResponse<String> preflight(
            TestServer to, String origin, String method, String path, String headers) {
        return to.send(
                "OPTIONS",
                path,
                BodyPublishers.noBody(),
                "Origin",
                origin,
                "Access-Control-Request-Method",
                method,
                "Access-Control-Request-Headers",
                headers);
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /v1/offsets/0123456789abcdef",
        "HEAD, /v1/offsets/0123456789abcdef",
        "POST, /v1/offsets/0123456789abcdef",
        "POST, /v1/offsets",
        "GET, /v1/builds",
        "GET, /openapi.json"
    })
    void preflightOfAReadIsAllowed(String method, String path) {
        HttpResponse<String> response = preflight(server, SITE, method, path);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo(SITE);
        assertThat(header(response, "Access-Control-Allow-Methods")).contains(method);
        assertThat(header(response, "Access-Control-Allow-Headers")).containsIgnoringCase("authorization");
        assertThat(header(response, "Access-Control-Max-Age")).isEqualTo("3600");
        assertThat(header(response, "Access-Control-Allow-Credentials")).isEmpty();
    }

    /** Its fetch has {@code User-Agent} among its headers (src/actions/receive-profile.ts), for which Firefox asks first. */
    @Test
    void preflightOfTheFirefoxProfilerIsAllowed() {
        HttpResponse<String> response = preflight(server, SITE, "POST", "/symbolicate/v5", "user-agent");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Access-Control-Allow-Headers")).containsIgnoringCase("user-agent");
    }

    @ParameterizedTest
    @CsvSource({
        "https://example.com, POST, /v1/pins",
        "https://example.com, PUT, /v1/builds/0123456789abcdef/debuginfo",
        "https://example.com, GET, /v1/prewarms",
        "https://example.com, GET, /admin",
        "https://example.com:444, GET, /v1/builds",
        "http://example.com, GET, /v1/builds",
        "null, GET, /v1/builds"
    })
    void preflightOfAWriteOrAnotherSiteIsRefused(String origin, String method, String path) {
        HttpResponse<String> response = preflight(server, origin, method, path);
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(header(response, "Access-Control-Allow-Origin")).isEmpty();
    }

    /** The second answer is from the cache, which is asked before Spring. */
    @Test
    void answersNameTheSiteWhetherTheyAreCachedOrNot() {
        String etag = header(server.get(PATH, "Origin", SITE), "ETag");
        for (HttpResponse<String> response : List.of(
                server.get(PATH, "Origin", SITE),
                server.head(PATH, "Origin", SITE),
                server.get(PATH, "Origin", SITE, "If-None-Match", etag),
                server.get("/v1/offsets/xyz?types=a", "Origin", SITE),
                server.get("/v1/offsets/" + SmallBuild.UNKNOWN_ID + "?types=a", "Origin", SITE),
                server.post(
                        "/v1/offsets/" + SmallBuild.ID,
                        "[\"point\"]",
                        "Origin",
                        SITE,
                        "Content-Type",
                        "application/json"))) {
            assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo(SITE);
            assertThat(header(response, "Access-Control-Expose-Headers"))
                    .contains("ETag", "Retry-After", "X-Request-ID");
            assertThat(header(response, "Vary")).contains("Origin");
        }
    }

    @Test
    void answersToOthersVaryByOriginAndNameNoSite() {
        for (int pass = 0; pass < 2; pass++) {
            for (HttpResponse<String> response :
                    List.of(server.get(PATH), server.get(PATH, "Origin", "https://elsewhere.example"))) {
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(header(response, "Access-Control-Allow-Origin")).isEmpty();
                assertThat(header(response, "Vary")).contains("Origin", "Accept");
            }
        }
    }

    @Test
    void withoutConfigurationNothingChanges() {
        HttpResponse<String> response = without.get(PATH, "Origin", SITE);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Access-Control-Allow-Origin")).isEmpty();
        assertThat(header(response, "Vary")).doesNotContain("Origin");
        assertThat(preflight(without, SITE, "GET", "/v1/builds").statusCode()).isEqualTo(405);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example.com",
                "https://example.com/",
                "https://user@example.com",
                "https://",
                "https://*.example.com"
            })
    void textThatIsNotAnOriginStopsTheStart(String text) {
        assertThatThrownBy(() -> new CorsProperties(List.of(text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected scheme, host and port");
    }

    @Test
    void everySiteMayBeAllowed() {
        assertThat(new CorsProperties(List.of("*", "http://localhost:3000")).allowedOrigins())
                .hasSize(2);
    }
}
