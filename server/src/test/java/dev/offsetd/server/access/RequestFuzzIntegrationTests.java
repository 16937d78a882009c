package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.RawRequest.RawResponse;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.ShapesBuild;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Random requests to every operation of the contract and every page, made from the contract, the forms of the pages, and inputs
 * that have broken other servers. None may cause an unexpected 5xx.
 *
 * <p>{@code -Dfuzz.requests=100000 -Dfuzz.seed=7} runs more and other requests. A failure names the seed and the number of the
 * request; {@code -Dfuzz.first=NUMBER} starts there.
 */
@ChecklistRow(40)
@Timeout(6 * 60 * 60)
class RequestFuzzIntegrationTests {

    private static final long SEED = Long.getLong("fuzz.seed", 20_261_122);
    private static final int FIRST = Integer.getInteger("fuzz.first", 0);
    private static final int REQUESTS = Integer.getInteger("fuzz.requests", 3_000);

    /** The run stops after these; many requests fail by the same fault. */
    private static final int MAX_FAILURES = 10;

    private static final Pattern STACK_TRACE = Pattern.compile(
            "\\tat [\\w.$/]+\\(|\\([A-Za-z]+\\.java:[0-9]+\\)|(java|org|dev|tools|jakarta)\\.[\\w.]+Exception");

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static FuzzedRequests requests;
    private static final Map<Scope, String> TOKENS = new EnumMap<>(Scope.class);
    private static final Queue<ILoggingEvent> FAULTS = new ConcurrentLinkedQueue<>();
    private static final AppenderBase<ILoggingEvent> WATCH = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.ERROR) || event.getThrowableProxy() != null) {
                FAULTS.add(event);
            }
        }
    };

    @BeforeAll
    static void start() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        ShapesBuild.putInto(folder.resolve("debug"));
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.rate-limit.address-requests=0",
                "offsetd.rate-limit.token-requests=0");
        Tokens tokens = server.bean(Tokens.class);
        for (Scope scope : Scope.values()) {
            TOKENS.put(
                    scope,
                    tokens.create(scope.word(), Set.of(scope), Duration.ofHours(12), Actor.operator("test"))
                            .text());
        }
        assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        assertThat(server.offsets(ShapesBuild.ID, "line").statusCode()).isEqualTo(200);
        JsonNode pin =
                Administrator.of(server, "fuzz").pin(server, SmallBuild.ID, "point.x", "{\"offset\": 0, \"size\": 4}");
        List<String> ids = new ArrayList<>(List.of(pin.path("id").asString()));
        AdminClient.makeUser(server, "victim", "read");
        ids.add(server.bean(org.springframework.jdbc.core.simple.JdbcClient.class)
                .sql("select id::text from users where name = 'victim'")
                .query(String.class)
                .single());
        Visitor visitor = new Visitor();
        requests = new FuzzedRequests(
                FuzzTarget.ofContract(),
                FuzzTarget.ofPages(
                        server.beans(RequestMappingInfoHandlerMapping.class), visitor.client::get, ids.getFirst()),
                ids,
                List.of(SmallBuild.ID.toString(), ShapesBuild.ID.toString(), SmallBuild.UNKNOWN_ID.toString()),
                SmallBuild.debugFile());
        WATCH.start();
        rootLogger().addAppender(WATCH);
    }

    private static Logger rootLogger() {
        return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    }

    @AfterAll
    static void stop() {
        rootLogger().detachAppender(WATCH);
        server.close();
    }

    /** A signed-in administrator. Some requests sign it out or take its role. */
    private static final class Visitor {

        private AdminClient client = AdminClient.signIn(server, "fuzzer", "admin");
        private String token = client.token();

        /** Returns the session cookie and the CSRF token. */
        List<String> headers() {
            return List.of(
                    "Cookie: offsetd_session="
                            + client.cookie("offsetd_session").orElse(""),
                    "X-CSRF-TOKEN: " + token);
        }

        void signInAgainIfNeeded(RawResponse response) {
            if (response.status() == 403 || response.header("Location").startsWith("/admin/sign-in")) {
                server.bean(org.springframework.jdbc.core.simple.JdbcClient.class)
                        .sql("update users set role = 'admin', enabled = true where name = 'fuzzer'")
                        .update();
                client = AdminClient.signIn(server, "fuzzer", "admin");
                token = client.token();
            }
        }
    }

    @Test
    void noRequestCausesAServerError() {
        Visitor visitor = new Visitor();
        List<String> failures = new ArrayList<>();
        for (int number = FIRST; number < FIRST + REQUESTS && failures.size() < MAX_FAILURES; number++) {
            Random random = new Random(SEED * 1_000_003 + number);
            FuzzedRequests.Request request = requests.next(random, TOKENS, visitor.headers());
            try {
                RawResponse response = RawRequest.send(server.port(), request.bytes());
                assertSound(request, response);
                if (request.target().isPage()) {
                    visitor.signInAgainIfNeeded(response);
                }
            } catch (UncheckedIOException | AssertionError e) {
                failures.add("seed " + SEED + ", request " + number + ", " + request.target() + ": "
                        + HostileText.quote(new String(request.bytes(), StandardCharsets.ISO_8859_1), 2_000) + "\n"
                        + e);
            }
        }
        assertThat(failures).isEmpty();
        assertThat(server.offsets(SmallBuild.ID, "line").statusCode()).isEqualTo(200);
        assertThat(server.get("/readyz").statusCode()).isEqualTo(200);
    }

    private static String trace(ILoggingEvent event) {
        return event.getThrowableProxy() == null
                ? ""
                : ch.qos.logback.classic.spi.ThrowableProxyUtil.asString(event.getThrowableProxy());
    }

    private static void assertSound(FuzzedRequests.Request request, RawResponse response) {
        List<String> faults =
                FAULTS.stream().map(event -> event + " " + trace(event)).toList();
        FAULTS.clear();
        assertThat(faults).isEmpty();
        String outcome = response.status() + " " + response.body();
        if (response.status() >= 500) {
            // Tomcat answers so to methods and versions of HTTP that it does not implement.
            boolean ofProtocol = response.status() == 501 || response.status() == 505;
            boolean onPurpose = (response.status() == 503 || response.status() == 504)
                    && request.target().documented().contains(response.status());
            assertThat(ofProtocol || onPurpose).as(outcome).isTrue();
        }
        assertThat(STACK_TRACE.matcher(response.body()).find()).as(outcome).isFalse();
        if (response.status() >= 400 && !response.body().isEmpty()) {
            String type = response.header("Content-Type");
            if (request.target().isPage() && type.startsWith("text/html")) {
                return;
            }
            assertThat(type).as(outcome).isEqualTo("application/problem+json");
            JsonNode problem;
            try {
                problem = JsonMapper.shared().readTree(response.body());
            } catch (JacksonException e) {
                throw new AssertionError(outcome, e);
            }
            assertThat(problem.propertyNames())
                    .as(outcome)
                    .contains("type", "title", "status", "detail", "instance", "code", "requestId", "buildId");
            assertThat(problem.path("status").asInt()).as(outcome).isEqualTo(response.status());
        }
    }
}
