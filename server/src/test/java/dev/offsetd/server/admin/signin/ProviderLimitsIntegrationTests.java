package dev.offsetd.server.admin.signin;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sign-in at a hostile OpenID Connect provider: each call to it has the limits of {@link ProviderHttp}. */
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ProviderLimitsIntegrationTests {

    private static final String DISCOVERY = "/.well-known/openid-configuration";
    private static final String TOKEN = "/token";
    private static final String KEYS = "/keys";
    private static final String ELSEWHERE = "/elsewhere";

    /** Redirect of the servers to the sign-in page after a failure at the provider. */
    private static final String FAILED = "/admin/sign-in?failure=provider";

    private static final String UNREACHABLE = "/admin/sign-in?failure=unreachable";

    /** The bound of a body, and buffers of sockets. */
    private static final long MAX_PUSHED_BYTES = 8 << 20;

    private static final long ENDLESS_BYTES = 128 << 20;

    @TempDir
    private static Path folder;

    private static HttpServer provider;
    private static TestServer own;
    private static TestServer tokenElsewhere;
    private static TestServer keysElsewhere;

    /** Answer of a server to a sign-in before the provider listened. */
    private static HttpResponse<String> early;

    /** How the provider answers, by the last part of the path; like a correct one if missing. */
    private static final Map<String, Answer> answers = new ConcurrentHashMap<>();

    private static final Map<String, AtomicLong> hits = new ConcurrentHashMap<>();
    private static final AtomicLong pushed = new AtomicLong();
    private static final CompletableFuture<Void> stopped = new CompletableFuture<>();

    /** A wrong answer, or none. */
    enum Answer {
        REDIRECT,
        ENDLESS,
        SILENT
    }

    /** Starts the servers before their provider. Each has another issuer, whose metadata name other endpoints. */
    @BeforeAll
    static void start() throws IOException {
        int port = FreePort.any();
        TestDatabase database = TestDatabase.create();
        own = server(database, port, "own");
        tokenElsewhere = server(database, port, "token-elsewhere");
        keysElsewhere = server(database, port, "keys-elsewhere");
        early = AdminClient.anonymous(own).get("/admin/sign-in/provider");
        // On all addresses, so that it would notice requests to another one.
        provider = HttpServer.create(new InetSocketAddress(port), 0);
        provider.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        provider.createContext("/", ProviderLimitsIntegrationTests::answer);
        provider.start();
    }

    private static TestServer server(TestDatabase database, int port, String issuer) {
        return TestServer.start(
                folder.resolve(issuer),
                database,
                "offsetd.offline=true",
                "offsetd.oidc.issuer=http://127.0.0.1:" + port + "/" + issuer,
                "offsetd.oidc.client-id=offsetd",
                "offsetd.oidc.client-secret=secret");
    }

    @AfterAll
    static void stop() {
        own.close();
        tokenElsewhere.close();
        keysElsewhere.close();
        stopped.complete(null);
        provider.stop(0);
    }

    @BeforeEach
    void forget() {
        answers.clear();
        hits.clear();
        pushed.set(0);
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String name = path.substring(path.indexOf('/', 1));
            InetAddress address = exchange.getLocalAddress().getAddress();
            hits.computeIfAbsent(address.getHostAddress().equals("127.0.0.1") ? name : ELSEWHERE, _ -> new AtomicLong())
                    .incrementAndGet();
            switch (answers.get(name)) {
                case REDIRECT -> {
                    exchange.getResponseHeaders().set("Location", "/own" + ELSEWHERE);
                    exchange.sendResponseHeaders(302, -1);
                }
                case ENDLESS -> push(exchange);
                case SILENT -> stopped.join();
                case null -> send(exchange, document(exchange, path.substring(1, path.indexOf('/', 1)), name));
            }
        }
    }

    private static void push(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        byte[] block = "a".repeat(1 << 13).getBytes(StandardCharsets.US_ASCII);
        OutputStream out = exchange.getResponseBody();
        out.write("{\"issuer\":\"".getBytes(StandardCharsets.US_ASCII));
        while (pushed.addAndGet(block.length) < ENDLESS_BYTES) {
            out.write(block);
        }
    }

    private static void send(HttpExchange exchange, String document) throws IOException {
        byte[] body = document.getBytes(StandardCharsets.US_ASCII);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    }

    private static String document(HttpExchange exchange, String issuer, String name) {
        int port = exchange.getLocalAddress().getPort();
        String base = "http://127.0.0.1:" + port + "/" + issuer;
        String other = "http://127.0.0.2:" + port + "/" + issuer;
        return switch (name) {
            case DISCOVERY ->
                """
                    {"issuer": "%s", "authorization_endpoint": "%<s/authorize", "token_endpoint": "%s", "jwks_uri": "%s",
                     "response_types_supported": ["code"], "subject_types_supported": ["public"],
                     "id_token_signing_alg_values_supported": ["RS256"]}""".formatted(
                                base,
                                (issuer.equals("token-elsewhere") ? other : base) + TOKEN,
                                (issuer.equals("keys-elsewhere") ? other : base) + KEYS);
            case TOKEN -> """
                    {"access_token": "a", "token_type": "Bearer", "expires_in": 60, "scope": "openid", "id_token": "%s"}""".formatted(unsigned());
            default -> "{\"keys\": []}";
        };
    }

    private static String unsigned() {
        return part("{\"alg\":\"RS256\",\"kid\":\"1\"}") + "." + part("{\"sub\":\"1\"}") + "." + part("signature");
    }

    private static String part(String text) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static long hits(String name) {
        return hits.getOrDefault(name, new AtomicLong()).get();
    }

    private static String location(HttpResponse<String> response) {
        return response.headers().firstValue("Location").orElse("");
    }

    /** Begins a sign-in, comes back from the provider, and returns the path of the final redirect. */
    private static String signIn(TestServer server) {
        AdminClient client = AdminClient.anonymous(server);
        String authorize = location(client.get("/admin/sign-in/provider"));
        Matcher state = Pattern.compile("[?&]state=([^&]+)")
                .matcher(String.valueOf(URI.create(authorize).getQuery()));
        assertThat(state.find()).as(authorize).isTrue();
        return location(client.get("/admin/oidc/callback?code=x&state=" + TestServer.escape(state.group(1))));
    }

    private static void assertLimited() {
        assertThat(hits(ELSEWHERE)).isZero();
        assertThat(pushed).hasValueLessThan(MAX_PUSHED_BYTES);
    }

    @Test
    void serverStartsWhileItsProviderIsDown() {
        assertThat(early.statusCode()).isEqualTo(303);
        assertThat(location(early)).isEqualTo(UNREACHABLE);
        assertThat(own.get("/readyz").statusCode()).isEqualTo(200);
    }

    /** First, because a server that has the metadata reads them again only after a failure. */
    @Order(1)
    @ParameterizedTest
    @EnumSource
    @ChecklistRow(3)
    void discoveryIsLimited(Answer answer) {
        answers.put(DISCOVERY, answer);
        assertThat(location(AdminClient.anonymous(own).get("/admin/sign-in/provider")))
                .isEqualTo(UNREACHABLE);
        assertThat(hits(DISCOVERY)).isEqualTo(1);
        assertLimited();
    }

    @ParameterizedTest
    @EnumSource
    @ChecklistRow(3)
    void tokenCallIsLimited(Answer answer) {
        answers.put(TOKEN, answer);
        assertThat(signIn(own)).isEqualTo(FAILED);
        assertThat(hits(TOKEN)).isEqualTo(1);
        assertLimited();
    }

    @ParameterizedTest
    @EnumSource
    @ChecklistRow(3)
    void readOfTheKeysIsLimited(Answer answer) {
        answers.put(KEYS, answer);
        assertThat(signIn(own)).isEqualTo(FAILED);
        assertThat(hits(KEYS)).isPositive();
        assertLimited();
    }

    @Test
    @ChecklistRow(4)
    void metadataCannotLeadTokenCallsInside() {
        assertThat(location(AdminClient.anonymous(tokenElsewhere).get("/admin/sign-in/provider")))
                .isEqualTo(UNREACHABLE);
        assertLimited();
    }

    @Test
    @ChecklistRow(4)
    void metadataCannotLeadReadsOfTheKeysInside() {
        assertThat(location(AdminClient.anonymous(keysElsewhere).get("/admin/sign-in/provider")))
                .isEqualTo(UNREACHABLE);
        assertThat(hits(DISCOVERY)).isEqualTo(1);
        assertLimited();
    }

    @Test
    void metadataAreReadAgainAfterAFailure() {
        answers.put(TOKEN, Answer.REDIRECT);
        assertThat(signIn(own)).isEqualTo(FAILED);
        hits.clear();
        assertThat(location(AdminClient.anonymous(own).get("/admin/sign-in/provider")))
                .contains("/authorize");
        assertThat(hits(DISCOVERY)).isEqualTo(1);
    }
}
