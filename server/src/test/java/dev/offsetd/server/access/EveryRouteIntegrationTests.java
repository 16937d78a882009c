package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.RawRequest.RawResponse;
import dev.offsetd.server.access.Route.Role;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.access.tokens.Tokens.NewToken;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.security.SecurityRequirement;
import io.swagger.v3.parser.OpenAPIV3Parser;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * Every route of the contract and of Spring's mappings, compared with the table and requested with every role: with empty and
 * filled caches, with reading open and closed, and by other spellings of its path.
 */
@ChecklistRow(22)
@Timeout(300)
class EveryRouteIntegrationTests {

    /** Target of the container's error dispatches; clients cannot request it. */
    private static final String ERROR_PATH = "/error";

    /** Render unknown pages and refused requests; the route table denies both to clients. */
    private static final Set<String> ERROR_PAGES = Set.of("/admin/**", RefusedRequest.PATH);

    /** Served by a resource handler, not by a controller. */
    private static final String ASSETS = "GET /admin/assets/**";

    /** Answered by Spring Security's logout filter. */
    private static final String SIGN_OUT = "POST /admin/sign-out";

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer open;
    private static TestServer closed;
    private static final Map<Sender, String> AUTHORIZATION = new EnumMap<>(Sender.class);

    /** Senders of requests, with the scope of each. */
    private enum Sender {
        ANONYMOUS(null),
        EXPIRED(null),
        REVOKED(null),
        UNKNOWN(null),
        GARBAGE(null),
        READER(Scope.READ),
        PUBLISHER(Scope.PUBLISH),
        ADMINISTRATOR(Scope.ADMIN);

        private final @Nullable Scope scope;

        Sender(@Nullable Scope scope) {
            this.scope = scope;
        }

        boolean hasBadToken() {
            return scope == null && this != ANONYMOUS;
        }
    }

    @BeforeAll
    static void start() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        database = TestDatabase.create();
        open = server("open");
        closed = server("closed", "offsetd.read-auth=true");
        Tokens tokens = open.bean(Tokens.class);
        for (Sender sender : Sender.values()) {
            if (sender.scope != null) {
                AUTHORIZATION.put(
                        sender,
                        "Bearer "
                                + token(tokens, sender.scope, Duration.ofHours(1))
                                        .text());
            }
        }
        AUTHORIZATION.put(
                Sender.EXPIRED,
                "Bearer " + token(tokens, Scope.ADMIN, Duration.ofSeconds(-1)).text());
        NewToken revoked = token(tokens, Scope.ADMIN, Duration.ofHours(1));
        assertThat(tokens.revoke(revoked.token().id(), Actor.operator("test"))).isPresent();
        AUTHORIZATION.put(Sender.REVOKED, "Bearer " + revoked.text());
        AUTHORIZATION.put(Sender.UNKNOWN, "Bearer " + TokenText.random(new SecureRandom()));
        AUTHORIZATION.put(Sender.GARBAGE, "Bearer garbage");
    }

    private static TestServer server(String data, String... properties) {
        return TestServer.start(
                folder.resolve(data),
                database,
                Stream.concat(
                                Stream.of("offsetd.offline=true", "offsetd.local-folders=" + folder.resolve("debug")),
                                Stream.of(properties))
                        .toArray(String[]::new));
    }

    private static NewToken token(Tokens tokens, Scope scope, Duration lifetime) {
        return tokens.create(scope.word(), Set.of(scope), lifetime, Actor.operator("test"));
    }

    @AfterAll
    static void stop() {
        open.close();
        closed.close();
    }

    /** Method and path of every route of the table, and its role. */
    private static Map<String, Role> table() {
        Map<String, Role> table = new TreeMap<>();
        Routes.ALL.forEach(
                route -> table.put(route.method() + " " + route.path().getPatternString(), route.role()));
        return table;
    }

    @Test
    void tableMatchesTheContract() {
        OpenAPI contract = new OpenAPIV3Parser().read("dev/offsetd/api/openapi.yaml");
        Map<String, Role> documented = new TreeMap<>();
        contract.getPaths()
                .forEach((path, item) -> item.readOperationsMap()
                        .forEach((method, operation) ->
                                documented.put(method + " " + path, role(contract, method, operation))));
        Map<String, Role> served = new TreeMap<>();
        // A parameter of several segments has no other notation in the contract.
        table().forEach((route, role) -> served.put(route.replace("{*", "{"), role));
        assertThat(documented).isEqualTo(served);
    }

    private static Role role(OpenAPI contract, PathItem.HttpMethod method, Operation operation) {
        List<SecurityRequirement> security =
                operation.getSecurity() != null ? operation.getSecurity() : contract.getSecurity();
        if (security.isEmpty()) {
            return Role.ANYBODY;
        }
        Set<List<String>> alternatives = new TreeSet<>((a, b) -> a.toString().compareTo(b.toString()));
        security.forEach(requirement -> alternatives.add(requirement.getOrDefault("bearer", List.of())));
        return switch (alternatives.toString()) {
            case "[[], [read]]" -> Role.READER;
            case "[[publish]]" -> Role.PUBLISHER;
            case "[[admin]]" -> Role.ADMINISTRATOR;
            default -> throw new AssertionError(method + ": no role has the security " + alternatives);
        };
    }

    @Test
    void tableMatchesTheMappings() {
        Set<String> served = new TreeSet<>();
        for (RequestMappingInfoHandlerMapping mapping : open.beans(RequestMappingInfoHandlerMapping.class)) {
            for (RequestMappingInfo info : mapping.getHandlerMethods().keySet()) {
                for (String path : info.getPatternValues()) {
                    if (!path.equals(ERROR_PATH) && !ERROR_PAGES.contains(path)) {
                        assertThat(info.getMethodsCondition().getMethods())
                                .as(path)
                                .isNotEmpty();
                        info.getMethodsCondition().getMethods().forEach(method -> served.add(method + " " + path));
                    }
                }
            }
        }
        Set<String> known = new TreeSet<>(table().keySet());
        Routes.DOCUMENTS.forEach(
                route -> known.add(route.method() + " " + route.path().getPatternString()));
        Routes.PAGES.forEach(page -> known.add(page.method() + " " + page.path().getPatternString()));
        known.remove(ASSETS);
        known.remove(SIGN_OUT);
        assertThat(served).isEqualTo(known);
    }

    @Test
    void tokensGiveAccessToTheRoutesOfTheirScopeOnly() {
        // Refused senders first: no answer is in memory yet, and no refused request may start work.
        long before = builds();
        requestAll(closed, true, Set.of(Sender.ANONYMOUS));
        Set<Sender> bad = Set.of(Sender.EXPIRED, Sender.REVOKED, Sender.UNKNOWN, Sender.GARBAGE);
        requestAll(closed, true, bad);
        requestAll(open, false, bad);
        assertThat(builds()).isEqualTo(before);
        for (int pass = 0; pass < 2; pass++) {
            requestAll(open, false, Set.of(Sender.values()));
            requestAll(closed, true, Set.of(Sender.values()));
        }
        assertThat(open.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
    }

    private static long builds() {
        return database.jdbc()
                .sql("select count(*) from builds")
                .query(Long.class)
                .single();
    }

    @Test
    void rolesGiveAccessToTheirPagesOnly() {
        for (Scope role : Scope.values()) {
            AdminClient client = AdminClient.signIn(open, "every-" + role.word(), role.word());
            for (Route page : Routes.PAGES) {
                HttpResponse<String> response = visit(client, page);
                String what = page.method() + " " + page.path() + " as " + role + ": " + response.body();
                assertThat(response.statusCode()).as(what).isLessThan(500);
                if (page.role()
                        .required()
                        .filter(required -> required.compareTo(role) > 0)
                        .isPresent()) {
                    assertThat(response.statusCode()).as(what).isEqualTo(403);
                    assertThat(response.body()).as(what).contains("insufficient_role");
                } else {
                    assertThat(response.statusCode()).as(what).isNotIn(401, 403);
                }
                if (page.path().getPatternString().equals("/admin/sign-out")) {
                    client = AdminClient.signIn(open, "every-" + role.word(), role.word());
                }
            }
        }
        for (Route page : Routes.PAGES) {
            HttpResponse<String> response = visit(AdminClient.anonymous(open), page);
            boolean isSentToSignIn = response.statusCode() == 303
                    && response.headers().firstValue("Location").orElse("").matches("/admin/sign-in(\\?next=.*)?");
            assertThat(isSentToSignIn)
                    .as("%s %s: %d", page.method(), page.path(), response.statusCode())
                    // Without a provider, its sign-in redirects back.
                    .isEqualTo(page.role() != Role.ANYBODY
                            || page.path().getPatternString().equals("/admin/sign-in/provider"));
        }
    }

    @Test
    void formsWithoutTheTokenOfTheirOwnSessionAreRefused() {
        String others = AdminClient.signIn(open, "csrf-other", "admin").token();
        for (Scope role : Scope.values()) {
            AdminClient client = AdminClient.signIn(open, "csrf-" + role.word(), role.word());
            for (Route page : Routes.PAGES) {
                if (page.method().name().equals("GET")) {
                    continue;
                }
                for (String token : Arrays.asList(null, "", "x", others)) {
                    HttpResponse<String> response = page.method().name().equals("PUT")
                            ? client.put(path(page.path().getPatternString()), new byte[0], token)
                            : client.postWithToken(path(page.path().getPatternString()), Map.of(), token);
                    assertThat(response.statusCode())
                            .as(
                                    "%s %s as %s with the token %s: %s",
                                    page.method(), page.path(), role, token, response.body())
                            .isEqualTo(403);
                }
            }
            assertThat(client.get("/admin").statusCode())
                    .as("the session of %s has not ended", role)
                    .isEqualTo(200);
        }
    }

    /** Otherwise a page of another site could act as the signed-in user. */
    @Test
    void sessionsOfThePagesGiveNoAccessToTheApi() {
        AdminClient client = AdminClient.signIn(closed, "every-session", "admin");
        String cookie = "offsetd_session=" + client.cookie("offsetd_session").orElseThrow();
        for (Route route : Routes.API) {
            HttpResponse<String> response = closed.send(
                    route.method().name(),
                    path(route),
                    route.method().name().equals("GET") ? BodyPublishers.noBody() : BodyPublishers.ofString("[]"),
                    "Cookie",
                    cookie,
                    "X-CSRF-TOKEN",
                    client.token());
            if (route.role() == Role.ANYBODY) {
                assertThat(response.statusCode()).as("%s", route.path()).isNotIn(401, 403);
            } else {
                assertThat(response.statusCode()).as("%s", route.path()).isEqualTo(401);
            }
        }
    }

    private static String path(String pattern) {
        return pattern.replace("**", "mark.svg")
                .replace("{buildId}", SmallBuild.UNKNOWN_ID.toString())
                .replaceAll("\\{[^}]*}", "00000000-0000-4000-8000-000000000000");
    }

    private static HttpResponse<String> visit(AdminClient client, Route page) {
        String path = path(page.path().getPatternString());
        return switch (page.method().name()) {
            case "GET" -> client.get(path);
            case "PUT" -> client.put(path, new byte[0], client.token());
            default -> client.post(path, Map.of());
        };
    }

    private static void requestAll(TestServer server, boolean isClosed, Set<Sender> senders) {
        for (Route route : Routes.API) {
            for (Sender sender : senders) {
                String path = path(route);
                HttpResponse<String> response = server.send(
                        route.method().name(),
                        path,
                        route.method().name().equals("POST")
                                ? BodyPublishers.ofString("[\"point\"]")
                                : BodyPublishers.noBody(),
                        headers(sender));
                assertOutcome(route, sender, isClosed, response);
                if (route.method().name().equals("GET")) {
                    HttpResponse<String> head = server.head(path, headers(sender));
                    assertThat(head.statusCode())
                            .as("HEAD %s as %s", path, sender)
                            .isEqualTo(response.statusCode());
                }
            }
        }
    }

    private static void assertOutcome(Route route, Sender sender, boolean isClosed, HttpResponse<String> response) {
        String what = route.method() + " " + route.path() + " as " + sender + (isClosed ? ", closed" : ", open") + ": "
                + response.body();
        if (sender.hasBadToken()) {
            assertThat(response.statusCode()).as(what).isEqualTo(401);
            assertThat(Json.of(response).path("code").asString()).as(what).isEqualTo("invalid_token");
            assertThat(response.headers().firstValue("WWW-Authenticate").orElseThrow())
                    .startsWith("Bearer realm=\"offsetd\", error=\"invalid_token\"");
            return;
        }
        Scope required = switch (route.role()) {
            case ANYBODY -> null;
            case READER, SIGNED_IN -> isClosed ? Scope.READ : null;
            case PUBLISHER -> Scope.PUBLISH;
            case ADMINISTRATOR -> Scope.ADMIN;
        };
        if (required == null || (sender.scope != null && sender.scope.compareTo(required) >= 0)) {
            assertThat(response.statusCode()).as(what).isNotIn(401, 403);
            return;
        }
        assertThat(response.statusCode()).as(what).isEqualTo(sender == Sender.ANONYMOUS ? 401 : 403);
        assertThat(Json.of(response).path("code").asString())
                .as(what)
                .isEqualTo(sender == Sender.ANONYMOUS ? "token_required" : "insufficient_scope");
        assertThat(Json.of(response).path("requiredScope").asString()).as(what).isEqualTo(required.word());
        assertThat(response.headers().firstValue("WWW-Authenticate").orElseThrow())
                .startsWith("Bearer realm=\"offsetd\"")
                .contains("scope=\"" + required.word() + "\"");
    }

    private static String path(Route route) {
        String path = route.path().getPatternString().replaceAll("\\{[^}]*}", SmallBuild.ID.toString());
        if (!route.method().name().equals("GET")) {
            return path;
        }
        return switch (route.path().getPatternString()) {
            case "/v1/offsets/{buildId}" -> path + "?types=point";
            case "/v1/symbols/{buildId}" -> path + "?names=main";
            case "/v1/resolve/{buildId}" -> path + "?expr=point";
            default -> path;
        };
    }

    private static String[] headers(Sender sender) {
        List<String> headers = new ArrayList<>(List.of("Content-Type", "application/json"));
        if (AUTHORIZATION.containsKey(sender)) {
            headers.add("Authorization");
            headers.add(AUTHORIZATION.get(sender));
        }
        return headers.toArray(String[]::new);
    }

    /** Spellings of a path that a proxy or the container might read as another. */
    private static Map<String, String> tricks(String path) {
        Map<String, String> tricks = new LinkedHashMap<>();
        int last = path.lastIndexOf('/');
        String parent = path.substring(0, last);
        String name = path.substring(last + 1);
        tricks.put("two slashes first", "/" + path);
        tricks.put("two slashes inside", parent + "//" + name);
        tricks.put("parameter", path + ";x=y");
        tricks.put("parameter inside", parent + ";x=y/" + name);
        tricks.put("parameter first", "/;x=y" + path);
        tricks.put("escaped parameter", path + "%3bx=y");
        tricks.put("escaped dot", "/%2e" + path);
        tricks.put("escaped dots", "/livez/%2e%2e" + path);
        tricks.put("escaped slash", parent + "%2f" + name);
        tricks.put("escaped slash first", "/%2f" + path.substring(1));
        tricks.put("escaped twice", parent + "%252f" + name);
        tricks.put("slash at the end", path + "/");
        tricks.put("upper case", path.toUpperCase(java.util.Locale.ROOT));
        tricks.put("dot", "/." + path);
        tricks.put("dot inside", parent + "/./" + name);
        tricks.put("dots", "/livez/.." + path);
        tricks.put("dots and parameter", "/livez/..;" + path);
        tricks.put("backslash", parent + "\\" + name);
        tricks.put("escaped backslash", parent + "%5c" + name);
        tricks.put("escaped letter", path.replaceFirst("/(.)", "/%" + Integer.toHexString(path.charAt(1))));
        tricks.put("zero", path + "%00");
        tricks.put("line feed", path + "%0a");
        tricks.put("line feed first", "/%0a" + path);
        tricks.put("suffix", path + ".json");
        tricks.put("space at the end", path + "%20");
        tricks.put("fragment", path + "%23");
        tricks.put("overlong slash", parent + "%c0%af" + name);
        tricks.put("absolute", "http://localhost" + path);
        tricks.put("absolute elsewhere", "http://example.org/" + path);
        tricks.put("open path as a parameter", path + ";/livez");
        return tricks;
    }

    @Test
    void spellingsOfAPathDoNotBypassTheTable() {
        assertThat(closed.offsets(SmallBuild.ID, "point", headers(Sender.READER))
                        .statusCode())
                .isEqualTo(200);
        for (Route route : Routes.ALL) {
            if (route.role() == Role.ANYBODY) {
                continue;
            }
            String[] pathAndQuery = path(route).split("\\?", 2);
            String query = pathAndQuery.length > 1 ? "?" + pathAndQuery[1] : "";
            tricks(pathAndQuery[0]).forEach((trick, target) -> {
                RawResponse response =
                        RawRequest.send(closed.port(), route.method().name(), target + query);
                assertRefused(trick + ": " + target, response);
            });
        }
    }

    @Test
    void spellingsOfAnOpenPathAreAnsweredWithProblems() {
        tricks("/version").forEach((trick, target) -> {
            RawResponse response = RawRequest.send(closed.port(), "GET", target);
            if (response.status() >= 300) {
                assertRefused(trick + ": " + target, response);
            } else {
                assertThat(response.body()).as(trick).contains("\"schemaVersion\"");
            }
        });
    }

    @Test
    void headersCannotOverridePathOrMethod() {
        String path = "/v1/builds/" + SmallBuild.ID;
        for (String header : new String[] {
            "X-Original-URL: /livez",
            "X-Rewrite-URL: /livez",
            "X-Forwarded-Prefix: /livez",
            "X-HTTP-Method-Override: HEAD",
            "X-Forwarded-For: 127.0.0.1",
            "Forwarded: for=127.0.0.1",
            "X-Forwarded-User: admin",
            "Cookie: JSESSIONID=1"
        }) {
            assertRefused(header, RawRequest.send(closed.port(), "GET", path, header));
        }
    }

    @Test
    void noOtherMethodIsServed() {
        String path = "/v1/builds/" + SmallBuild.ID;
        for (String method :
                List.of("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "get", "QUERY", "PROPFIND")) {
            RawResponse response = RawRequest.send(open.port(), method, path);
            assertRefused(method, response);
            assertThat(response.status()).as(method).isIn(400, 405, 501);
        }
        assertThat(RawRequest.send(open.port(), "PUT", path).header("Allow")).isEqualTo("GET, HEAD");
    }

    private static void assertRefused(String what, RawResponse response) {
        assertThat(response.status()).as(what).isBetween(400, 501);
        assertThat(response.header("Content-Type")).as(what).isEqualTo("application/problem+json");
        assertThat(response.header("X-Request-ID")).as(what).isNotEmpty();
        assertThat(response.body()).as(what).contains("\"code\":", "\"requestId\":");
    }
}
