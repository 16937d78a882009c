package dev.offsetd.server.operations.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The contract, its reference page and the start page, as a server without open reading sends them. */
class ContractIntegrationTests {

    private static final Path CONTRACT = Path.of("..", "api-spec", "openapi.yaml");

    private static TestServer server;

    @BeforeAll
    static void start(@TempDir Path folder) {
        server = TestServer.start(folder, TestDatabase.create(), "offsetd.offline=true", "offsetd.read-auth=true");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String header(HttpResponse<?> response, String name) {
        return String.join(", ", response.headers().allValues(name));
    }

    @Test
    void contractIsServedAsItIsAndAsTheSameJson() throws IOException {
        String yaml = server.get("/openapi.yaml").body();
        assertThat(yaml).isEqualTo(Files.readString(CONTRACT));
        assertThat(new ObjectMapper().readTree(server.get("/openapi.json").body()))
                .isEqualTo(new YAMLMapper().readTree(yaml));
    }

    @ParameterizedTest
    @CsvSource({
        "/openapi.yaml, application/yaml",
        "/openapi.json, application/json",
        "/docs, text/html;charset=UTF-8",
        "/docs/reference.css, text/css;charset=UTF-8",
        "/favicon.ico, image/svg+xml",
        "/favicon.svg, image/svg+xml"
    })
    void documentsHaveTypeLengthAndValidatorForGetAndHead(String path, String type) {
        HttpResponse<String> whole = server.get(path);
        assertThat(whole.statusCode()).isEqualTo(200);
        assertThat(header(whole, "Content-Type")).isEqualTo(type);
        assertThat(header(whole, "Cache-Control")).contains("max-age=300");
        assertThat(header(whole, "X-Content-Type-Options")).isEqualTo("nosniff");
        HttpResponse<String> head = server.head(path);
        assertThat(head.statusCode()).isEqualTo(200);
        for (String name : List.of("Content-Type", "Content-Length", "ETag", "Content-Security-Policy")) {
            assertThat(header(head, name)).isNotEmpty().isEqualTo(header(whole, name));
        }
        HttpResponse<String> unchanged = server.get(path, "If-None-Match", header(whole, "ETag"));
        assertThat(unchanged.statusCode()).isEqualTo(304);
        assertThat(unchanged.body()).isEmpty();
        assertThat(server.post(path, "").statusCode()).isEqualTo(405);
    }

    @Test
    void pageNeedsNoScriptAndLoadsItsStyleSheetOnly() {
        HttpResponse<String> page = server.get("/docs");
        assertThat(header(page, "Content-Security-Policy"))
                .contains("default-src 'none'", "style-src 'self'", "frame-ancestors 'none'")
                .doesNotContain("script-src", "unsafe");
        assertThat(page.body()).doesNotContainPattern("(?i)<script|<style|\\sstyle=|\\son[a-z]+=");
        Stream<String> loaded = Pattern.compile("<link rel=\"\\w+\" href=\"([^\"]+)\"")
                .matcher(page.body())
                .results()
                .map(link -> link.group(1));
        assertThat(loaded).hasSize(2).allMatch(path -> server.get(path).statusCode() == 200);
    }

    @Test
    void pageHasEveryCallWithACurlCommandAndEverySchemaThatItLinks() throws IOException {
        String page = server.get("/docs").body();
        new YAMLMapper()
                .readTree(CONTRACT.toFile())
                .path("paths")
                .properties()
                .forEach(path -> Stream.of("get", "put", "post", "delete")
                        .filter(path.getValue()::has)
                        .forEach(method -> assertThat(page)
                                .contains("id=\""
                                        + path.getValue()
                                                .path(method)
                                                .path("operationId")
                                                .asText() + '"')
                                .containsPattern("curl -sS -X " + method.toUpperCase(Locale.ROOT) + "( -G)? \"[^\"]*"
                                        + Pattern.quote(path.getKey()) + '"')));
        Pattern.compile("href=\"#([^\"]+)\"")
                .matcher(page)
                .results()
                .forEach(link -> assertThat(page).contains("id=\"" + link.group(1) + '"'));
    }

    @Test
    void rootSendsBrowsersToThePagesAndTellsOthersWhatThereIs() {
        HttpResponse<String> browser =
                server.get("/", "Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
        assertThat(browser.statusCode()).isEqualTo(302);
        assertThat(header(browser, "Location")).isEqualTo("/admin");
        assertThat(header(browser, "Vary")).contains("Accept");
        for (String accept : List.of("*/*", "application/json")) {
            HttpResponse<String> program = server.get("/", "Accept", accept);
            assertThat(program.statusCode()).isEqualTo(200);
            assertThat(Json.of(program).path("contract").asString()).isEqualTo("/openapi.yaml");
            assertThat(Json.of(program).path("docs").asString()).isEqualTo("/docs");
        }
    }
}
