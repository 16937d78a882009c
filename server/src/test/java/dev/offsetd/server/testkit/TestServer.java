package dev.offsetd.server.testkit;

import dev.offsetd.server.ServerDefinitions;
import dev.offsetd.server.operations.changes.ChangeListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.springframework.aot.AotDetector;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.SpringProperties;
import org.springframework.util.ClassUtils;

/**
 * The whole server in this JVM, on a free port of 127.0.0.1, with an HTTP client. Every response to that client is
 * checked against the contract.
 */
public final class TestServer implements AutoCloseable {

    /** Whether Maven has generated the bean definitions; an IDE does not. */
    private static final String GENERATED_DEFINITIONS = Boolean.toString(
            ClassUtils.isPresent(ServerDefinitions.class.getName() + "__ApplicationContextInitializer", null));

    private final ConfigurableApplicationContext context;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private TestServer(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * Starts a server.
     *
     * @param data its data folder
     * @param properties {@code name=value}; there is no local folder unless they set one
     */
    public static TestServer start(Path data, TestDatabase database, String... properties) {
        return start(data, database.url(), database.user(), database.password(), properties);
    }

    /** Starts a server on a database at any URL. */
    public static TestServer start(Path data, String databaseUrl, String user, String password, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--offsetd.data-dir=" + data,
                "--spring.datasource.url=" + databaseUrl,
                "--spring.datasource.username=" + user,
                "--spring.datasource.password=" + password,
                "--spring.datasource.hikari.minimum-idle=1",
                // Tests count what servers request of upstreams; those of identities do the work explicitly.
                "--offsetd.identities.poll=1h"));
        if (Arrays.stream(properties).noneMatch(property -> property.startsWith("offsetd.local-folders="))) {
            arguments.add("--offsetd.local-folders=");
        }
        for (String property : properties) {
            arguments.add("--" + property);
        }
        // Starts like the released program, in half of the time.
        SpringProperties.setProperty(AotDetector.AOT_ENABLED, GENERATED_DEFINITIONS);
        try {
            return new TestServer(ServerDefinitions.application().run(arguments.toArray(String[]::new)));
        } finally {
            // Other contexts of the tests have no generated definitions.
            SpringProperties.setProperty(AotDetector.AOT_ENABLED, "false");
        }
    }

    /** Returns the base URL, without a trailing slash. */
    public String url() {
        return "http://127.0.0.1:" + port();
    }

    public int port() {
        if (context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
            return web.getWebServer().getPort();
        }
        throw new IllegalStateException("the server has no web server");
    }

    /** Returns a bean of the server. */
    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    /** Returns all beans of a type. */
    public <T> Collection<T> beans(Class<T> type) {
        return context.getBeansOfType(type).values();
    }

    /** Clears the server's answer cache, after a test has changed the database directly. */
    public void forgetAnswers() {
        context.getBeansOfType(ChangeListener.class).values().forEach(ChangeListener::anyMayHaveChanged);
    }

    /** Requests items of a build. */
    public HttpResponse<String> offsets(Object buildId, String types, String... headers) {
        return get("/v1/offsets/" + buildId + "?types=" + escape(types), headers);
    }

    /**
     * GETs a path.
     *
     * @param headers alternating names and values
     */
    public HttpResponse<String> get(String path, String... headers) {
        return send("GET", path, BodyPublishers.noBody(), headers);
    }

    public HttpResponse<String> head(String path, String... headers) {
        return send("HEAD", path, BodyPublishers.noBody(), headers);
    }

    public HttpResponse<String> post(String path, String body, String... headers) {
        return send("POST", path, BodyPublishers.ofString(body), headers);
    }

    /** Sends a request whose response is text. */
    public HttpResponse<String> send(String method, String path, HttpRequest.BodyPublisher body, String... headers) {
        HttpResponse<String> response = exchange(method, path, body, BodyHandlers.ofString(), headers);
        Contract.check(method, URI.create(path).getPath(), response, response.body());
        return response;
    }

    /** Sends a request whose response is CBOR. */
    public HttpResponse<byte[]> cbor(String method, String path, HttpRequest.BodyPublisher body, String... headers) {
        HttpResponse<byte[]> response = exchange(method, path, body, BodyHandlers.ofByteArray(), headers);
        Contract.check(
                method, URI.create(path).getPath(), response, Cbor.of(response).toString());
        return response;
    }

    /** Sends a request whose response is a file. */
    public HttpResponse<byte[]> file(String method, String path, String... headers) {
        HttpResponse<byte[]> response =
                exchange(method, path, BodyPublishers.noBody(), BodyHandlers.ofByteArray(), headers);
        if (response.statusCode() >= 400) {
            Contract.check(
                    method, URI.create(path).getPath(), response, new String(response.body(), StandardCharsets.UTF_8));
        }
        return response;
    }

    private <T> HttpResponse<T> exchange(
            String method,
            String path,
            HttpRequest.BodyPublisher body,
            HttpResponse.BodyHandler<T> bodies,
            String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url() + path)).method(method, body);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return http.send(request.build(), bodies);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns the text encoded for a query string. */
    public static String escape(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        http.close();
        context.close();
    }
}
