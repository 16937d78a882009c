package dev.offsetd.server.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.HttpCookie;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/**
 * A minimal browser for the admin pages: it stores cookies and submits forms with their CSRF token. It does not follow
 * redirects.
 */
public final class AdminClient {

    /** Password of all users that tests create. */
    public static final String PASSWORD = "correct horse battery";

    /** Hash of the lowest cost that bcrypt allows. The hash itself contains the cost. */
    private static final String HASH = new BCryptPasswordEncoder(4).encode(PASSWORD);

    private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\" value=\"([^\"]+)\"");

    private final String url;
    private final CookieManager cookies;
    private final HttpClient http;
    private final List<String> headers;

    /** CSRF token of the session, taken from one of its pages. */
    private @Nullable String token;

    private @Nullable String sessionOfToken;

    private AdminClient(String url, CookieManager cookies, HttpClient http, List<String> headers) {
        this.url = url;
        this.cookies = cookies;
        this.http = http;
        this.headers = headers;
    }

    /** Returns a client that is not signed in. */
    public static AdminClient anonymous(TestServer server) {
        return anonymous(server.url());
    }

    private static AdminClient anonymous(String url) {
        CookieManager cookies = new CookieManager(null, CookiePolicy.ACCEPT_ALL);
        return new AdminClient(
                url,
                cookies,
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .cookieHandler(cookies)
                        .build(),
                List.of());
    }

    /** Returns a client signed in as an admin. */
    public static AdminClient signIn(TestServer server) {
        return signIn(server, "tester", "admin");
    }

    /**
     * Returns a client signed in as this user, who is created in the database if necessary.
     *
     * @param role {@code read}, {@code publish} or {@code admin}
     */
    public static AdminClient signIn(TestServer server, String name, String role) {
        makeUser(server, name, role);
        return signIn(anonymous(server), name);
    }

    /** Returns a client signed in as an admin at a server in a separate process. */
    public static AdminClient signIn(ServerProcess server, TestDatabase database) {
        makeUser(database.jdbc(), "tester", "admin");
        return signIn(anonymous(server.url()), "tester");
    }

    private static AdminClient signIn(AdminClient client, String name) {
        HttpResponse<String> response = client.signIn(name, PASSWORD);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(303);
        assertThat(response.headers().firstValue("Location"))
                .hasValueSatisfying(page -> assertThat(page).doesNotContain("sign-in"));
        return client;
    }

    /** Inserts a user with {@link #PASSWORD} into the database, unless the name is taken. */
    public static void makeUser(TestServer server, String name, String role) {
        makeUser(server.bean(JdbcClient.class), name, role);
    }

    private static void makeUser(JdbcClient jdbc, String name, String role) {
        jdbc.sql("""
                        insert into users (id, name, role, password_hash, password_at)
                        values (:id, :name, :role, :hash, now()) on conflict do nothing
                        """)
                .param("id", UUID.randomUUID())
                .param("name", name)
                .param("role", role)
                .param("hash", HASH)
                .update();
    }

    /** Submits the sign-in form. */
    public HttpResponse<String> signIn(String name, String password) {
        return postWithToken("/admin/sign-in", Map.of("name", name, "password", password), token());
    }

    /** Returns the same client with these headers on each request, as alternating names and values. */
    public AdminClient withHeaders(String... more) {
        return new AdminClient(url, cookies, http, List.of(more));
    }

    /** Returns the same client at another server of the cluster. */
    public AdminClient at(TestServer server) {
        return new AdminClient(server.url(), cookies, http, headers);
    }

    public HttpResponse<String> get(String path) {
        return send(HttpRequest.newBuilder(URI.create(url + path)).GET());
    }

    /** Submits a form with the session's CSRF token. */
    public HttpResponse<String> post(String path, Map<String, String> form) {
        String session = cookie("offsetd_session").orElse("");
        if (token == null || !session.equals(sessionOfToken)) {
            token = token();
            sessionOfToken = session;
        }
        return postWithToken(path, form, token);
    }

    /** Submits a form with another CSRF token, or without one. */
    public HttpResponse<String> postWithToken(String path, Map<String, String> form, @Nullable String token) {
        String body = form.entrySet().stream()
                .map(field -> escape(field.getKey()) + '=' + escape(field.getValue()))
                .collect(Collectors.joining("&"));
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body));
        if (token != null) {
            request.header("X-CSRF-TOKEN", token);
        }
        return send(request);
    }

    /** Sends a body with this CSRF token, or without one. */
    public HttpResponse<String> put(String path, byte[] body, @Nullable String token) {
        return send("PUT", path, body, token);
    }

    /** Sends a body with this CSRF token, or without one. */
    public HttpResponse<String> postBytes(String path, byte[] body, @Nullable String token) {
        return send("POST", path, body, token);
    }

    private HttpResponse<String> send(String method, String path, byte[] body, @Nullable String token) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .header("Content-Type", "application/octet-stream")
                .method(method, BodyPublishers.ofByteArray(body));
        if (token != null) {
            request.header("X-CSRF-TOKEN", token);
        }
        return send(request);
    }

    /** Returns the CSRF token of the session, from a page with a form that any user may open. */
    public String token() {
        HttpResponse<String> page = get(cookie("offsetd_session").isEmpty() ? "/admin/sign-in" : "/admin/password");
        if (page.statusCode() != 200) {
            page = get("/admin/sign-in");
        }
        Matcher token = TOKEN.matcher(page.body());
        assertThat(token.find()).as(page.body()).isTrue();
        return token.group(1);
    }

    /** Returns the value of a cookie that the server has set. */
    public Optional<String> cookie(String name) {
        return cookies.getCookieStore().getCookies().stream()
                .filter(cookie -> cookie.getName().equals(name))
                .map(HttpCookie::getValue)
                .findFirst();
    }

    /** Sets a cookie that did not come from the server. */
    public void setCookie(String name, String value) {
        HttpCookie cookie = new HttpCookie(name, value);
        cookie.setPath("/admin");
        cookie.setDomain(URI.create(url).getHost());
        cookie.setVersion(0);
        cookies.getCookieStore().add(URI.create(url), cookie);
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        try {
            return http.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static String escape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
