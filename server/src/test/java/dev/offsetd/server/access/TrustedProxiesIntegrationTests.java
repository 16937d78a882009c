package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Forwarded headers are accepted from configured proxies only. */
@ChecklistRow({22, 23})
class TrustedProxiesIntegrationTests {

    @TempDir
    private static Path folder;

    private static TestDatabase database;

    /** Trusts the address of the tests as a proxy. */
    private static TestServer behindProxy;

    /** Trusts another proxy, so that the tests are clients. */
    private static TestServer direct;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        behindProxy = server("behind", "127.0.0.0/8,198.51.100.0/24,2001:db8::/32");
        direct = server("open", "198.51.100.1");
    }

    /** Starts a server that admits one request per second and address. */
    private static TestServer server(String data, String proxies) {
        return TestServer.start(
                folder.resolve(data),
                database,
                "offsetd.offline=true",
                "offsetd.trusted-proxies=" + proxies,
                "offsetd.rate-limit.address-requests=1",
                "offsetd.rate-limit.address-burst=1");
    }

    @AfterAll
    static void stop() {
        behindProxy.close();
        direct.close();
    }

    private static int request(TestServer server, String forwardedFor) {
        return server.get("/v1/builds/0123456789abcdef0123456789abcdef01234567", "X-Forwarded-For", forwardedFor)
                .statusCode();
    }

    private static void useUp(TestServer server, String forwardedFor) {
        for (int status = 0; status != 429; status = request(server, forwardedFor)) {
            assertThat(status).isNotEqualTo(200);
        }
    }

    @Test
    void clientsBehindAProxyAreLimitedSeparately() {
        useUp(behindProxy, "203.0.113.1");
        assertThat(request(behindProxy, "203.0.113.2")).isEqualTo(404);
    }

    @Test
    void lastAddressThatIsNotAProxyIsTheClient() {
        useUp(behindProxy, "203.0.113.10, 198.51.100.7, 2001:db8::1");
        // The client forged the addresses before its own.
        useUp(behindProxy, "203.0.113.11");
        assertThat(request(behindProxy, "192.0.2.1, 203.0.113.11, 198.51.100.7"))
                .isEqualTo(429);
        assertThat(request(behindProxy, "203.0.113.11, 203.0.113.12")).isEqualTo(404);
    }

    @Test
    void forwardedHeadersFromOtherPeersAreIgnored() {
        useUp(direct, "203.0.113.1");
        assertThat(request(direct, "203.0.113.2")).isEqualTo(429);
        assertThat(direct.get("/v1/builds/0123456789abcdef0123456789abcdef01234567", "Forwarded", "for=203.0.113.3")
                        .statusCode())
                .isEqualTo(429);
    }

    @Test
    void proxyDeterminesTheScheme() {
        assertThat(hsts(behindProxy.get("/version", "X-Forwarded-For", "203.0.113.1", "X-Forwarded-Proto", "https")))
                .hasSize(1);
        assertThat(hsts(behindProxy.get("/version", "X-Forwarded-For", "203.0.113.1", "X-Forwarded-Proto", "http")))
                .isEmpty();
        assertThat(hsts(direct.get("/version", "X-Forwarded-For", "203.0.113.1", "X-Forwarded-Proto", "https")))
                .isEmpty();
    }

    private static List<String> hsts(HttpResponse<String> response) {
        return response.headers().allValues("Strict-Transport-Security");
    }

    @Test
    void invalidForwardedAddressIsNotUsed() {
        HttpResponse<String> response = behindProxy.get("/v1/whoami", "X-Forwarded-For", "<script>alert(1)</script>");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(Json.of(response).path("rateLimit").path("by").asString()).isEqualTo("address");
    }

    @ParameterizedTest
    @ValueSource(strings = {"proxy.example.org", "10.0.0.0/33", "10.0.0.0/x", "::/129"})
    void invalidNetworkPreventsStart(String network) {
        assertThatThrownBy(() -> server("wrong", network)).hasStackTraceContaining(network + " is not an IP address");
    }
}
