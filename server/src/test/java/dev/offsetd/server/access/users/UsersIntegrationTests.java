package dev.offsetd.server.access.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.startup.AdminCommand;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import picocli.CommandLine;

/** Sign-in, sessions and users, on two servers that start at the same time. Each test uses its own names and addresses. */
@ChecklistRow(22)
@Timeout(180)
class UsersIntegrationTests {

    private static final String PASSWORD = "quite another horse";
    private static final Pattern ONE_TIME = Pattern.compile("one-time password ([a-z0-9-]+)");
    private static final Pattern SHOWN = Pattern.compile("id=\"one-time\">([a-z0-9-]+)<");

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static JdbcClient jdbc;
    private static int providerPort;
    private static TestServer one;
    private static TestServer two;

    /** Output of both servers during start. */
    private static String printed;

    @BeforeAll
    static void startBothAtOnce() throws Exception {
        database = TestDatabase.create();
        jdbc = database.jdbc();
        providerPort = FreePort.any();
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        PrintStream standard = System.out;
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try (ConfigurableApplicationContext logging = loggingAlreadySetUp();
                ExecutorService threads = Executors.newFixedThreadPool(2)) {
            assertThat(logging.isActive()).isTrue();
            Future<TestServer> first = threads.submit(() -> server("one"));
            Future<TestServer> second = threads.submit(() -> server("two"));
            one = first.get();
            two = second.get();
        } finally {
            System.setOut(standard);
        }
        printed = output.toString(StandardCharsets.UTF_8);
    }

    /** The first application of a JVM sets up logging, which two must not do at once. Real servers do not share a JVM. */
    private static ConfigurableApplicationContext loggingAlreadySetUp() {
        return new SpringApplicationBuilder(NoBeans.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run();
    }

    private static final class NoBeans {}

    /** Starts a server whose OpenID Connect provider is down. */
    private static TestServer server(String name) {
        return TestServer.start(
                folder.resolve(name),
                database,
                "offsetd.offline=true",
                "offsetd.trusted-proxies=127.0.0.0/8",
                "offsetd.sign-in.first-delay=30s",
                "offsetd.sign-in.address-failures=8",
                "offsetd.oidc.issuer=" + TestProvider.issuer(providerPort),
                "offsetd.oidc.client-id=" + TestProvider.CLIENT,
                "offsetd.oidc.client-secret=" + TestProvider.SECRET,
                "offsetd.oidc.title=Example Id",
                "offsetd.oidc.admin-values=offsetd-admins",
                "offsetd.oidc.publish-values=offsetd-publishers");
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
    }

    private static String location(HttpResponse<String> response) {
        return response.headers().firstValue("Location").orElse("");
    }

    /** Returns a browser at this address. */
    private static AdminClient from(TestServer server, String address) {
        return AdminClient.anonymous(server).withHeaders("X-Forwarded-For", address);
    }

    private static String shownPassword(HttpResponse<String> page) {
        Matcher shown = SHOWN.matcher(page.body());
        assertThat(shown.find()).as(page.body()).isTrue();
        return shown.group(1);
    }

    private static String idOf(String name) {
        return jdbc.sql("select id::text from users where name = :name")
                .param("name", name)
                .query(String.class)
                .single();
    }

    private static List<@Nullable String> audit(String subject) {
        return jdbc.sql("select who || ' ' || action from audit where subject = :subject order by id")
                .param("subject", subject)
                .query(String.class)
                .list();
    }

    private static Map<String, String> passwords(String current, String wanted) {
        return Map.of("current", current, "wanted", wanted, "again", wanted);
    }

    @Test
    void oneOfSeveralServersPrintsTheFirstPassword() throws Exception {
        assertThat(ONE_TIME.matcher(printed).results()).as(printed).hasSize(1);
        assertThat(jdbc.sql("select count(*) from users where first")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
        Matcher first = ONE_TIME.matcher(printed);
        assertThat(first.find()).isTrue();

        // Only a server that started after the password was set renews it.
        FirstAdmin start = two.bean(FirstAdmin.class);
        assertThat(start.atStart(Duration.ofHours(1), "test")).isEmpty();
        String password = start.atStart(Duration.ZERO, "test").orElseThrow().text();
        AdminClient client = from(one, "203.0.113.1");
        assertThat(client.signIn("admin", first.group(1)).statusCode()).isEqualTo(422);
        assertThat(location(client.signIn("Admin", password))).isEqualTo("/admin");

        // The one-time password only lets its user choose another.
        for (String page : List.of("/admin", "/admin/users", "/admin/account", "/admin/nowhere")) {
            assertThat(location(client.get(page))).as(page).isEqualTo("/admin/password");
        }
        assertThat(client.get("/admin/password").body()).contains("Choose a password");
        assertThat(client.post("/admin/password", passwords("", password)).body())
                .contains("this is the current password");
        assertThat(client.post("/admin/password", passwords("", "too short")).body())
                .contains("at least 12 characters");
        String before = client.cookie("offsetd_session").orElseThrow();
        assertThat(location(client.post("/admin/password", passwords("", PASSWORD))))
                .isEqualTo("/admin");
        assertThat(client.cookie("offsetd_session").orElseThrow()).isNotEqualTo(before);
        assertThat(client.get("/admin/users").statusCode()).isEqualTo(200);
        assertThat(start.atStart(Duration.ZERO, "test"))
                .as("after the password was used")
                .isEmpty();

        assertResetRestoresTheAdministrator(client);
    }

    private static void assertResetRestoresTheAdministrator(AdminClient client) {
        jdbc.sql("update users set enabled = false, role = 'read' where first").update();
        assertThat(client.get("/admin/users").statusCode()).isEqualTo(303);
        System.setProperty("spring.datasource.url", database.url());
        System.setProperty("spring.datasource.username", database.user());
        System.setProperty("spring.datasource.password", database.password());
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        try {
            AdminClient.makeUser(one, "mere-reader", "read");
            assertThat(reset(out, err, "mere-reader")).isEqualTo(1);
            assertThat(err.toString()).contains("\"mere-reader\" is not an administrator");
            assertThat(reset(out, err, "unknown")).isEqualTo(1);
            assertThat(out.toString()).isEmpty();
            assertThat(reset(out, err)).as(err.toString()).isZero();
        } finally {
            List.of("url", "username", "password").forEach(name -> System.clearProperty("spring.datasource." + name));
        }
        assertThat(out.toString()).matches("[a-z0-9-]{23}\\R");
        assertThat(client.signIn("admin", PASSWORD).statusCode()).isEqualTo(422);
        assertThat(location(client.signIn("admin", out.toString().strip()))).isEqualTo("/admin");
        assertThat(location(client.get("/admin/users"))).isEqualTo("/admin/password");
        assertThat(audit("admin"))
                .containsSubsequence(
                        "operator user.create",
                        "operator user.reset",
                        "admin user.sign_in",
                        "admin user.password",
                        "operator user.reset",
                        "admin user.sign_in");
    }

    private static int reset(StringWriter out, StringWriter err, String... name) {
        String[] arguments = new String[name.length + 1];
        arguments[0] = "reset";
        System.arraycopy(name, 0, arguments, 1, name.length);
        return new CommandLine(new AdminCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @Test
    void formFromAnotherSiteIsRefused() {
        AdminClient client = AdminClient.signIn(one);
        HttpResponse<String> response = client.postWithToken("/admin/users", Map.of("name", "forged"), null);
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("form_out_of_date", "<h1");
        String ofAnother = AdminClient.signIn(one).token();
        assertThat(client.postWithToken("/admin/users", Map.of("name", "forged"), ofAnother)
                        .statusCode())
                .isEqualTo(403);
        assertThat(from(one, "203.0.113.2")
                        .postWithToken("/admin/sign-in", Map.of("name", "tester", "password", "x"), ofAnother)
                        .statusCode())
                .as("another site cannot sign a browser in to another account")
                .isEqualTo(403);
        assertThat(jdbc.sql("select count(*) from users where name = 'forged'")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void pageThatRefusesANameIsWhole() {
        HttpResponse<String> refused =
                AdminClient.signIn(one).post("/admin/users", Map.of("name", "Bad Name", "role", "read"));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.body()).contains("aria-invalid=\"true\"", "href=\"/admin/builds\"", "/admin/sign-out");
    }

    @Test
    void everyPageHasSecurityHeaders() {
        AdminClient client = AdminClient.signIn(one);
        for (HttpResponse<String> page : List.of(
                client.get("/admin/users"),
                client.get("/admin/nowhere"),
                client.postWithToken("/admin/users", Map.of(), null),
                AdminClient.anonymous(one).get("/admin/sign-in"),
                AdminClient.anonymous(one).get("/admin/users"))) {
            Map<String, String> headers = new HashMap<>();
            page.headers().map().forEach((name, values) -> headers.put(name, String.join(" | ", values)));
            assertThat(headers)
                    .containsEntry(
                            "content-security-policy",
                            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self';"
                                    + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
                    .containsEntry("x-frame-options", "DENY")
                    .containsEntry("x-content-type-options", "nosniff")
                    .containsEntry("referrer-policy", "no-referrer")
                    .containsEntry("cross-origin-opener-policy", "same-origin")
                    .containsEntry("cache-control", "no-store")
                    .containsKey("permissions-policy");
        }
        HttpResponse<String> asset = AdminClient.anonymous(one).get("/admin/assets/mark.svg");
        assertThat(asset.statusCode()).isLessThan(500);
        assertThat(asset.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
    }

    @Test
    void signInChangesTheSessionId() {
        AdminClient.makeUser(one, "fixed", "read");
        AdminClient client = from(one, "203.0.113.3");
        client.signIn("fixed", AdminClient.PASSWORD);
        String first = client.cookie("offsetd_session").orElseThrow();
        assertThat(client.signIn("fixed", AdminClient.PASSWORD).statusCode()).isEqualTo(303);
        assertThat(client.cookie("offsetd_session").orElseThrow()).isNotEqualTo(first);
        String made = Base64.getEncoder()
                .encodeToString("11111111-2222-3333-4444-555555555555".getBytes(StandardCharsets.US_ASCII));
        AdminClient attacked = from(one, "203.0.113.3");
        attacked.setCookie("offsetd_session", made);
        assertThat(attacked.signIn("fixed", AdminClient.PASSWORD).statusCode()).isEqualTo(303);
        assertThat(attacked.cookie("offsetd_session").orElseThrow()).isNotEqualTo(made);
        assertThat(jdbc.sql("select count(*) from spring_session where session_id like '11111111%'")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.org/admin",
                "//example.org",
                "//example.org/admin",
                "/\\example.org",
                "/admin/../v1/builds",
                "/admin//example.org",
                "/admin\\@example.org",
                "/administrator",
                "/admin/users\r\nSet-Cookie: x=y",
                "javascript:alert(1)",
                ""
            })
    void signInRedirectsToLocalPathsOnly(String next) {
        AdminClient.makeUser(one, "wanderer", "read");
        AdminClient client = from(one, "203.0.113.4");
        HttpResponse<String> signedIn = client.post(
                "/admin/sign-in", Map.of("name", "wanderer", "password", AdminClient.PASSWORD, "next", next));
        assertThat(signedIn.statusCode()).isEqualTo(303);
        assertThat(location(signedIn)).isEqualTo("/admin");
        assertThat(location(client.get("/admin/sign-in?next=" + TestServer.escape(next))))
                .isEqualTo("/admin");
    }

    @Test
    void signInReturnsToTheRequestedPage() {
        AdminClient.makeUser(one, "asker", "read");
        AdminClient client = from(one, "203.0.113.5");
        HttpResponse<String> redirect = client.get("/admin/password?x=1&y=%2F");
        assertThat(redirect.statusCode()).isEqualTo(303);
        assertThat(location(redirect)).isEqualTo("/admin/sign-in?next=%2Fadmin%2Fpassword%3Fx%3D1%26y%3D%252F");
        assertThat(client.get(location(redirect)).body()).contains("value=\"/admin/password?x=1&amp;y=%2F\"");
        HttpResponse<String> signedIn = client.post(
                "/admin/sign-in",
                Map.of("name", "asker", "password", AdminClient.PASSWORD, "next", "/admin/password?x=1&y=%2F"));
        assertThat(location(signedIn)).isEqualTo("/admin/password?x=1&y=%2F");
        assertThat(location(client.post("/admin/sign-out", Map.of()))).isEqualTo("/admin/sign-in");
        assertThat(client.get("/admin/password").statusCode()).isEqualTo(303);
        HttpResponse<String> part = client.withHeaders("HX-Request", "true").get("/admin/account");
        assertThat(part.statusCode()).isEqualTo(401);
        assertThat(part.headers().firstValue("HX-Redirect")).contains("/admin/sign-in");
    }

    @Test
    void failedAttemptsDelayAnAccountOnEveryServer() {
        AdminClient.makeUser(one, "target", "read");
        for (String name : List.of("target", "no-such-user")) {
            for (int i = 0; i < 6; i++) {
                HttpResponse<String> refused =
                        from(one, "203.0.113." + (10 + i)).signIn(name, "wrong password");
                assertThat(refused.statusCode()).as("%s, %d", name, i).isEqualTo(422);
                assertThat(refused.body()).contains("Name or password is wrong.");
            }
            HttpResponse<String> later = from(two, "203.0.113.20").signIn(name, AdminClient.PASSWORD);
            assertThat(later.statusCode()).as(name).isEqualTo(429);
            assertThat(later.body()).contains("Too many failed attempts");
            assertThat(later.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(1L, 60L);
        }
        endDelays();
        assertThat(from(two, "203.0.113.21")
                        .signIn("target", AdminClient.PASSWORD)
                        .statusCode())
                .isEqualTo(303);
        for (int i = 0; i < 5; i++) {
            assertThat(from(one, "203.0.113." + (30 + i))
                            .signIn("target", "wrong password")
                            .statusCode())
                    .as("counted anew after a success")
                    .isEqualTo(422);
        }
        assertThat(from(one, "203.0.113.40")
                        .signIn("target", AdminClient.PASSWORD)
                        .statusCode())
                .isEqualTo(303);
    }

    @Test
    void failedAttemptsDelayAnAddressLongerAndLonger() {
        AdminClient client = from(one, "203.0.113.50");
        for (int i = 0; i < 9; i++) {
            assertThat(client.signIn("name" + i, "wrong password").statusCode()).isEqualTo(422);
        }
        HttpResponse<String> later = client.signIn("name-of-another", "wrong password");
        assertThat(later.statusCode()).isEqualTo(429);
        endDelays();
        assertThat(client.signIn("name10", "wrong password").statusCode()).isEqualTo(422);
        endDelays();
        assertThat(client.signIn("name11", "wrong password").statusCode()).isEqualTo(422);
        assertThat(jdbc.sql("""
            select extract(epoch from blocked_until - last_at)::int from sign_in_attempts
            where subject = '203.0.113.50'
            """).query(Integer.class).single()).isEqualTo(120);
        assertThat(one.get("/metrics").body())
                .containsPattern("offsetd_sign_ins_total\\{[^}]*result=\"throttled\"[^}]*\\} [1-9]")
                .containsPattern("offsetd_sign_ins_total\\{[^}]*result=\"refused\"[^}]*\\} [1-9]");
    }

    private static void endDelays() {
        jdbc.sql("update sign_in_attempts set blocked_until = now()").update();
    }

    @Test
    void sessionIsValidOnEveryServerAndItsCookieForPagesOnly() {
        AdminClient.makeUser(one, "roamer", "read");
        AdminClient client = from(one, "203.0.113.60");
        HttpResponse<String> signedIn = client.signIn("roamer", AdminClient.PASSWORD);
        assertThat(signedIn.headers().allValues("Set-Cookie"))
                .anySatisfy(cookie -> assertThat(cookie)
                        .startsWith("offsetd_session=")
                        .contains("; Path=/admin;", "; HttpOnly", "; SameSite=Lax")
                        .doesNotContain("Secure", "Domain", "Max-Age", "Expires"));
        HttpResponse<String> account = client.at(two).get("/admin/account");
        assertThat(account.statusCode()).isEqualTo(200);
        assertThat(account.body()).contains("roamer", "203.0.113.60", "Unknown browser");

        // The client has no TLS, so it would not send the Secure cookie back.
        AdminClient behindTls = from(two, "203.0.113.61");
        HttpResponse<String> secure = behindTls
                .withHeaders("X-Forwarded-For", "203.0.113.61", "X-Forwarded-Proto", "https")
                .postWithToken(
                        "/admin/sign-in",
                        Map.of("name", "roamer", "password", AdminClient.PASSWORD),
                        behindTls.token());
        assertThat(secure.headers().allValues("Set-Cookie"))
                .anySatisfy(cookie ->
                        assertThat(cookie).startsWith("offsetd_session=").contains("; Secure"));
    }

    @Test
    void sessionsAreForPagesAndTokensForTheApi() {
        AdminClient client = AdminClient.signIn(one);
        HttpResponse<String> whoami = one.get(
                "/v1/whoami",
                "Cookie",
                "offsetd_session=" + client.cookie("offsetd_session").orElseThrow());
        assertThat(whoami.body()).contains("\"anonymous\"");
        String token = one.bean(Tokens.class)
                .create("pages", Set.of(Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                .text();
        HttpResponse<String> page = AdminClient.anonymous(one)
                .withHeaders("Authorization", "Bearer " + token)
                .get("/admin/users");
        assertThat(page.statusCode()).isEqualTo(303);
        assertThat(location(page)).startsWith("/admin/sign-in");
    }

    @Test
    void sessionEndsAfterIdleAndAbsoluteLifetime() throws IOException {
        AdminClient idle = AdminClient.signIn(one, "idle", "read");
        jdbc.sql("update spring_session set last_access_time = :at where principal_name = :user")
                .param("at", Instant.now().minus(Duration.ofHours(13)).toEpochMilli())
                .param("user", idOf("idle"))
                .update();
        assertThat(idle.get("/admin/account").statusCode()).isEqualTo(303);

        AdminClient old = AdminClient.signIn(one, "old", "read");
        assertThat(old.get("/admin/account").statusCode()).isEqualTo(200);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(Instant.now().minus(Duration.ofDays(8)).toEpochMilli());
        }
        jdbc.sql("""
            update spring_session_attributes set attribute_bytes = :bytes
            where attribute_name = 'offsetd.signedInAt' and session_primary_id in (
                select primary_id from spring_session where principal_name = :user)
            """)
                .param("bytes", bytes.toByteArray())
                .param("user", idOf("old"))
                .update();
        assertThat(old.get("/admin/account").statusCode()).isEqualTo(303);
    }

    @Test
    void changesOfAUserTakeEffectWithTheNextRequestOnEveryServer() {
        AdminClient administrator = AdminClient.signIn(one);
        String shown = shownPassword(administrator.post("/admin/users", Map.of("name", "worker", "role", "admin")));
        assertThat(administrator.get("/admin/users").body()).contains("worker").doesNotContain(shown);
        AdminClient worker = from(two, "203.0.113.70");
        assertThat(location(worker.signIn("worker", shown))).isEqualTo("/admin");
        assertThat(location(worker.post("/admin/password", passwords("", PASSWORD))))
                .isEqualTo("/admin");
        assertThat(worker.get("/admin/users").statusCode()).isEqualTo(200);

        String path = "/admin/users/" + idOf("worker");
        assertThat(administrator.post(path + "/role", Map.of("role", "read")).statusCode())
                .isEqualTo(303);
        assertThat(worker.get("/admin/users").statusCode()).isEqualTo(403);
        assertThat(worker.get("/admin/account").statusCode()).isEqualTo(200);

        assertThat(administrator.post(path + "/disable", Map.of()).statusCode()).isEqualTo(303);
        assertThat(worker.get("/admin/account").statusCode()).isEqualTo(303);
        assertThat(worker.signIn("worker", PASSWORD).body()).contains("Name or password is wrong.");
        assertThat(administrator.post(path + "/enable", Map.of()).statusCode()).isEqualTo(303);
        assertThat(worker.get("/admin/account").statusCode())
                .as("the session stays over")
                .isEqualTo(303);
        assertThat(worker.signIn("worker", PASSWORD).statusCode()).isEqualTo(303);

        assertThat(administrator.post(path + "/sign-out", Map.of()).statusCode())
                .isEqualTo(303);
        assertThat(worker.get("/admin/account").statusCode()).isEqualTo(303);
        assertThat(worker.signIn("worker", PASSWORD).statusCode()).isEqualTo(303);

        String again = shownPassword(administrator.post(path + "/reset", Map.of()));
        assertThat(worker.get("/admin/account").statusCode()).isEqualTo(303);
        assertThat(worker.signIn("worker", PASSWORD).statusCode()).isEqualTo(422);
        assertThat(worker.signIn("worker", again).statusCode()).isEqualTo(303);
        assertThat(audit("worker"))
                .containsSubsequence(
                        "tester user.create",
                        "worker user.sign_in",
                        "worker user.password",
                        "tester user.role",
                        "tester user.disable",
                        "tester user.enable",
                        "tester user.sign_out",
                        "tester user.reset");
        assertThat(jdbc.sql("select count(*) from audit where after::text like '%' || :password || '%'")
                        .param("password", again)
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void lastAdministratorKeepsTheRole() {
        AdminClient administrator = AdminClient.signIn(one);
        String self = "/admin/users/" + idOf("tester");
        HttpResponse<String> demoted = administrator.post(self + "/role", Map.of("role", "read"));
        assertThat(demoted.statusCode()).isEqualTo(422);
        assertThat(demoted.body()).contains("you cannot remove your own admin role");
        assertThat(administrator.post(self + "/disable", Map.of()).statusCode()).isEqualTo(422);

        Users users = one.bean(Users.class);
        new TransactionTemplate(one.bean(PlatformTransactionManager.class)).executeWithoutResult(transaction -> {
            one.bean(JdbcClient.class)
                    .sql("update users set enabled = (name = 'tester') where role = 'admin'")
                    .update();
            UUID last = UUID.fromString(idOf("tester"));
            assertThatThrownBy(() -> users.setRole(last, Scope.PUBLISH, Actor.operator("test")))
                    .hasMessage("\"tester\" is the last administrator who can sign in");
            transaction.setRollbackOnly();
        });
    }

    @Test
    void passwordChangeEndsAllOtherSessions() {
        AdminClient here = AdminClient.signIn(one, "changer", "read");
        AdminClient there = AdminClient.signIn(two, "changer", "read");
        assertThat(here.post("/admin/password", passwords("wrong password", PASSWORD))
                        .body())
                .contains("this is not the current password");
        assertThat(here.post(
                                "/admin/password",
                                Map.of("current", AdminClient.PASSWORD, "wanted", PASSWORD, "again", "something else"))
                        .body())
                .contains("not the same");
        assertThat(here.post("/admin/password", passwords(AdminClient.PASSWORD, "x".repeat(73)))
                        .body())
                .contains("at most 72 bytes");
        assertThat(there.get("/admin/account").statusCode()).isEqualTo(200);
        assertThat(here.post("/admin/password", passwords(AdminClient.PASSWORD, PASSWORD))
                        .statusCode())
                .isEqualTo(303);
        assertThat(here.get("/admin/account").body()).contains("Password changed.");
        assertThat(there.get("/admin/account").statusCode()).isEqualTo(303);
    }

    @Test
    void userEndsOwnSessionsOnly() {
        AdminClient here = AdminClient.signIn(one, "mover", "read");
        AdminClient there = AdminClient.signIn(two, "mover", "read");
        AdminClient stranger = AdminClient.signIn(two, "stranger", "read");
        HttpResponse<String> account = here.get("/admin/account");
        Matcher end = Pattern.compile("(/admin/account/sessions/[0-9a-f]+/end)").matcher(account.body());
        assertThat(end.find())
                .as("%d %s %s", account.statusCode(), location(account), account.body())
                .isTrue();
        String path = end.group(1);
        assertThat(end.find()).as("not the current session").isFalse();
        assertThat(stranger.post(path, Map.of()).statusCode()).isEqualTo(303);
        assertThat(there.get("/admin/account").statusCode()).isEqualTo(200);
        assertThat(here.post(path, Map.of()).statusCode()).isEqualTo(303);
        assertThat(there.get("/admin/account").statusCode()).isEqualTo(303);
        assertThat(here.get("/admin/account").body()).contains("Session ended.");
    }

    @Test
    void takenReservedAndInvalidNamesAreRefused() {
        AdminClient administrator = AdminClient.signIn(one);
        for (String name : List.of("tester", "TESTER", "operator", "Anonymous", "", "<script>", "a b", "-x")) {
            HttpResponse<String> refused = administrator.post("/admin/users", Map.of("name", name, "role", "read"));
            assertThat(refused.statusCode()).as(name).isEqualTo(422);
            assertThat(refused.body())
                    .contains("aria-describedby=\"name-hint name-error\"", "autofocus")
                    .doesNotContain("<script>");
        }
        HttpResponse<String> refused = administrator.post("/admin/users", Map.of("name", "new", "role", "root"));
        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(refused.body())
                .contains("aria-describedby=\"role-error\"", "expected read, publish or admin", "value=\"new\"");
        assertThat(administrator
                        .post("/admin/users/" + idOf("tester") + "/role", Map.of("role", "root"))
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void refusedPasswordIsMarkedAndNeverShownAgain() {
        AdminClient client = AdminClient.signIn(one, "forgetful", "read");
        assertThat(input("current", client.get("/admin/password").body()))
                .contains("autofocus", "type=\"password\"", "autocomplete=\"current-password\"");
        for (Map.Entry<String, Map<String, String>> form : Map.of(
                        "current", passwords("wrong password", PASSWORD),
                        "wanted", passwords(AdminClient.PASSWORD, "short word"),
                        "again", Map.of("current", AdminClient.PASSWORD, "wanted", PASSWORD, "again", "another one"))
                .entrySet()) {
            HttpResponse<String> refused = client.post("/admin/password", form.getValue());
            assertThat(refused.statusCode()).isEqualTo(422);
            assertThat(refused.body()).contains("Not changed: ");
            for (String name : List.of("current", "wanted", "again")) {
                String input = input(name, refused.body());
                assertThat(input).doesNotContain(form.getValue().get(name));
                assertThat(input.contains("aria-invalid=\"true\"") && input.contains("autofocus"))
                        .as(input)
                        .isEqualTo(name.equals(form.getKey()));
            }
        }
    }

    /** Returns the input of this name. */
    private static String input(String name, String page) {
        Matcher input =
                Pattern.compile("<input[^>]* name=\"" + name + "\"[^>]*>").matcher(page);
        assertThat(input.find()).as(page).isTrue();
        return input.group();
    }

    /** Hash computations are counted: they take all of the time of a sign-in, and a clock would be fooled by a busy machine. */
    @Test
    void unknownDisabledAndForeignUsersCostAsMuchAsAWrongPassword() {
        AdminClient.makeUser(one, "timed", "read");
        JdbcClient jdbc = one.bean(JdbcClient.class);
        AdminClient.makeUser(one, "timed-disabled", "read");
        jdbc.sql("update users set enabled = false where name = 'timed-disabled'")
                .update();
        AdminClient.makeUser(one, "timed-provider", "read");
        jdbc.sql("""
            update users set password_hash = null, password_at = null, issuer = 'https://id.example', subject = '1'
            where name = 'timed-provider'
            """).update();
        PasswordAuthentication authentication = one.bean(PasswordAuthentication.class);
        Passwords passwords = one.bean(Passwords.class);
        AtomicInteger hashes = new AtomicInteger();
        authentication.setPasswordEncoder(new PasswordEncoder() {
            @Override
            public @Nullable String encode(@Nullable CharSequence password) {
                return passwords.encode(password);
            }

            @Override
            public boolean matches(@Nullable CharSequence password, @Nullable String hash) {
                hashes.incrementAndGet();
                return passwords.matches(password, hash);
            }
        });
        try {
            // Each attempt has another address, so that none is delayed.
            int address = 100;
            for (String password : List.of("wrong password", "x".repeat(73), "x")) {
                for (String name : List.of("timed", "timed-disabled", "timed-provider", "nobody", "\u0130")) {
                    hashes.set(0);
                    HttpResponse<String> refused =
                            from(one, "198.51.100." + address++).signIn(name, password);
                    assertThat(refused.statusCode()).as(name).isEqualTo(422);
                    assertThat(hashes).as("%s with %s", name, password).hasValue(1);
                }
            }
        } finally {
            authentication.setPasswordEncoder(passwords);
        }
    }

    @Test
    void providerSignsUsersIn() throws Exception {
        AdminClient client = from(one, "203.0.113.80");
        assertThat(client.get("/admin/sign-in").body()).contains("Sign in with Example Id");
        assertThat(location(client.get("/admin/sign-in/provider"))).isEqualTo("/admin/sign-in?failure=unreachable");
        assertThat(client.get("/admin/sign-in?failure=unreachable").body()).contains("cannot be reached");
        try (TestProvider provider = TestProvider.start(providerPort, one.url(), two.url())) {
            assertThat(provider).isNotNull();
            assertThat(byProvider(client, "olga", "/admin/users")).isEqualTo("/admin/users");
            assertThat(client.get("/admin/users").body()).contains("olga", "at " + TestProvider.issuer(providerPort));
            AdminClient publisher = from(two, "203.0.113.81");
            assertThat(byProvider(publisher, "piet", "//example.org")).isEqualTo("/admin");
            assertThat(publisher.get("/admin/users").statusCode()).isEqualTo(403);
            assertThat(publisher.get("/admin/password").statusCode()).isEqualTo(200);
            assertThat(publisher
                            .post("/admin/password", passwords("", PASSWORD))
                            .body())
                    .contains("has no password here");
            assertThat(byProvider(from(one, "203.0.113.82"), "nora", "/admin"))
                    .as("no role")
                    .isEqualTo("/admin/sign-in?failure=role");
            assertThat(byProvider(from(one, "203.0.113.83"), "admin", "/admin"))
                    .as("the name of a user with a password")
                    .isEqualTo("/admin/sign-in?failure=refused");

            assertThat(client.post("/admin/users/" + idOf("piet") + "/disable", Map.of())
                            .statusCode())
                    .isEqualTo(303);
            assertThat(publisher.get("/admin/account").statusCode()).isEqualTo(303);
            assertThat(byProvider(publisher, "piet", "/admin")).isEqualTo("/admin/sign-in?failure=refused");
            assertThat(publisher.signIn("piet", TestProvider.PASSWORD).statusCode())
                    .as("no password here")
                    .isEqualTo(422);
        }
        assertThat(location(from(one, "203.0.113.85").get("/admin/oidc/authorize/provider")))
                .as("only from the sign-in page")
                .startsWith("/admin/sign-in?next=");
        HttpResponse<String> made = from(one, "203.0.113.84").get("/admin/oidc/callback?code=x&state=made-up");
        assertThat(location(made)).isEqualTo("/admin/sign-in?failure=provider");
        assertThat(audit("olga"))
                .containsExactly(TestProvider.issuer(providerPort) + " user.create", "olga user.sign_in");
    }

    /** Signs in at the provider, and returns the path of the final redirect. */
    private static String byProvider(AdminClient client, String name, String next) throws Exception {
        String authorize = location(client.get("/admin/sign-in/provider?next=" + TestServer.escape(next)));
        assertThat(authorize).startsWith(TestProvider.issuer(providerPort));
        String login = Base64.getEncoder()
                .encodeToString((name + ':' + TestProvider.PASSWORD).getBytes(StandardCharsets.UTF_8));
        try (HttpClient http =
                HttpClient.newBuilder().cookieHandler(new CookieManager()).build()) {
            http.send(
                    HttpRequest.newBuilder(URI.create(TestProvider.issuer(providerPort)))
                            .header("Authorization", "Basic " + login)
                            .build(),
                    BodyHandlers.discarding());
            HttpResponse<String> atProvider =
                    http.send(HttpRequest.newBuilder(URI.create(authorize)).build(), BodyHandlers.ofString());
            URI back = URI.create(location(atProvider));
            assertThat(back.getRawQuery()).as(atProvider.body()).contains("code=");
            return location(client.get(back.getRawPath() + '?' + back.getRawQuery()));
        }
    }
}
