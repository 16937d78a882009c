package dev.offsetd.server.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The issues of a repository, by the REST API of GitHub or of GitLab, as far as a pipeline that keeps one issue calls it. */
public final class IssueTracker implements AutoCloseable {

    public static final String TOKEN = "issue-token";

    /** How a service calls things. */
    public enum Service {
        GITHUB("/repos/owner/fleet/issues", "Authorization", "Bearer ", "number", "body", "PATCH", "state"),
        GITLAB("/projects/7/issues", "PRIVATE-TOKEN", "", "iid", "description", "PUT", "state_event");

        private final String path;
        private final String header;
        private final String scheme;
        private final String number;
        private final String text;
        private final String update;
        private final String state;

        Service(String path, String header, String scheme, String number, String text, String update, String state) {
            this.path = path;
            this.header = header;
            this.scheme = scheme;
            this.number = number;
            this.text = text;
            this.update = update;
            this.state = state;
        }
    }

    /** An issue as it was last written. */
    public record Issue(String title, String text, boolean isOpen) {}

    private final List<Issue> issues = new ArrayList<>();
    private final Service service;
    private final HttpServer http;

    private IssueTracker(Service service, HttpServer http) {
        this.service = service;
        this.http = http;
    }

    public static IssueTracker start(Service service) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        IssueTracker tracker = new IssueTracker(service, http);
        http.createContext(service.path, tracker::answer);
        http.start();
        return tracker;
    }

    /** Returns the variables that the service sets in jobs, and the token. */
    public Map<String, String> variables() {
        String url = "http://127.0.0.1:" + http.getAddress().getPort();
        return service == Service.GITHUB
                ? Map.of("GITHUB_API_URL", url, "GITHUB_REPOSITORY", "owner/fleet", "ISSUE_TOKEN", TOKEN)
                : Map.of("CI_API_V4_URL", url, "CI_PROJECT_ID", "7", "ISSUE_TOKEN", TOKEN);
    }

    public List<Issue> issues() {
        return List.copyOf(issues);
    }

    private void answer(HttpExchange exchange) throws IOException {
        String query = Objects.toString(exchange.getRequestURI().getQuery(), "");
        String rest = exchange.getRequestURI().getPath().substring(service.path.length());
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String call = exchange.getRequestMethod() + (rest.isEmpty() ? "" : " NUMBER");
        if (!(service.scheme + TOKEN).equals(exchange.getRequestHeaders().getFirst(service.header))) {
            respond(exchange, HttpURLConnection.HTTP_UNAUTHORIZED, "{}");
        } else if (call.equals("GET") && query.startsWith("labels=offsetd-demand&")) {
            respond(exchange, HttpURLConnection.HTTP_OK, newestFirst().toString());
        } else if (call.equals("POST")) {
            JsonNode draft = members(body, "title", service.text, "labels");
            issues.add(new Issue(
                    draft.path("title").asString(), draft.path(service.text).asString(), true));
            respond(exchange, HttpURLConnection.HTTP_CREATED, "{}");
        } else if (call.equals(service.update + " NUMBER")) {
            JsonNode change = members(body, service.text, service.state);
            int index = Integer.parseInt(rest.substring(1)) - 1;
            boolean open =
                    Set.of("open", "reopen").contains(change.path(service.state).asString());
            issues.set(
                    index,
                    new Issue(
                            issues.get(index).title(), change.path(service.text).asString(), open));
            respond(exchange, HttpURLConnection.HTTP_OK, "{}");
        } else {
            respond(exchange, HttpURLConnection.HTTP_NOT_FOUND, "{}");
        }
    }

    private ArrayNode newestFirst() {
        ArrayNode list = JsonMapper.shared().createArrayNode();
        for (int number = issues.size(); number > 0; number--) {
            list.addObject().put(service.number, number);
        }
        return list;
    }

    private static JsonNode members(String body, String... names) throws IOException {
        ObjectNode document = (ObjectNode) JsonMapper.shared().readTree(body);
        if (!Set.copyOf(document.propertyNames()).equals(Set.of(names))) {
            throw new IOException(document.propertyNames() + "; expected " + List.of(names));
        }
        return document;
    }

    private static void respond(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        http.stop(0);
    }
}
