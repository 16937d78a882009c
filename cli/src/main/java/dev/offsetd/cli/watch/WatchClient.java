package dev.offsetd.cli.watch;

import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.HostileText;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The watches of a server. */
final class WatchClient implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);
    private static final String WATCHES = "v1/watches";

    private final ServerCalls calls;

    WatchClient(URI server, BearerToken token, Console console) {
        this.calls = new ServerCalls(server, token, console, PATIENCE);
    }

    /** Returns all watches. */
    JsonNode list() throws CommandFailure {
        return json(send("GET", WATCHES, null), 200);
    }

    /**
     * Returns the path of a watch.
     *
     * @param name its name or id
     */
    String require(String name) throws CommandFailure {
        List<String> names = new ArrayList<>();
        for (JsonNode watch : list().path("watches")) {
            if (watch.path("name").asString("").equals(name)
                    || watch.path("id").asString("").equals(name)) {
                return WATCHES + "/" + watch.path("id").asString("");
            }
            names.add(watch.path("name").asString(""));
        }
        throw new CommandFailure(
                ExitCode.INCOMPLETE,
                "no watch is named " + HostileText.quote(name) + "; expected "
                        + (names.isEmpty() ? "one that offsetd watch add created" : String.join(", ", names)));
    }

    JsonNode get(String path) throws CommandFailure {
        return json(send("GET", path, null), 200);
    }

    /** Adds a watch, and returns it. */
    JsonNode add(JsonNode draft) throws CommandFailure {
        return json(send("POST", WATCHES, draft), 201);
    }

    /** Makes the watch at this path due now, and returns it. */
    JsonNode run(String path) throws CommandFailure {
        return json(send("POST", path + "/run", null), 202);
    }

    void remove(String path) throws CommandFailure {
        HttpResponse<byte[]> response = send("DELETE", path, null);
        // A repeated call finds nothing.
        if (response.statusCode() != 204 && response.statusCode() != 404) {
            throw ServerProblem.of(response);
        }
    }

    /** Waits a while between two looks at a run. */
    void pause() throws CommandFailure {
        calls.restartTimer();
        calls.pause(Duration.ofMillis(500));
    }

    private HttpResponse<byte[]> send(String method, String path, @Nullable JsonNode body) throws CommandFailure {
        BodyPublisher sent = body == null
                ? BodyPublishers.noBody()
                : BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8);
        HttpRequest.Builder request = HttpRequest.newBuilder(calls.uri(path))
                .timeout(CALL_TIMEOUT)
                .header("Accept", "application/json")
                .method(method, sent);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        return calls.send(request.build());
    }

    private static JsonNode json(HttpResponse<byte[]> response, int expected) throws CommandFailure {
        if (response.statusCode() != expected) {
            throw ServerProblem.of(response);
        }
        try {
            return JsonMapper.shared().readTree(new String(response.body(), StandardCharsets.UTF_8));
        } catch (JacksonException e) {
            throw new CommandFailure(
                    ExitCode.SERVER_FAILED, "the server answered " + expected + " without JSON; expected an object");
        }
    }

    @Override
    public void close() {
        calls.close();
    }
}
