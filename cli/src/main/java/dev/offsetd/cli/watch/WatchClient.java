package dev.offsetd.cli.watch;

import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.HostileText;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The watches of a server. */
final class WatchClient implements AutoCloseable {

    private static final Duration MAX_WAIT = Duration.ofMinutes(1);
    private static final String WATCHES = "v1/watches";

    private final ServerCalls calls;

    WatchClient(URI server, BearerToken token, Console console) {
        this.calls = new ServerCalls(server, token, console, MAX_WAIT);
    }

    /** Returns all watches. */
    JsonNode list() throws CommandFailure {
        return json(calls.get(WATCHES), 200);
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
        return json(calls.get(path), 200);
    }

    /** Adds a watch, and returns it. */
    JsonNode add(JsonNode draft) throws CommandFailure {
        return json(calls.send(calls.request(WATCHES, draft.toString()).build()), 201);
    }

    /** Makes the watch at this path due now, and returns it. */
    JsonNode run(String path) throws CommandFailure {
        return json(
                calls.send(calls.request(path + "/run")
                        .POST(BodyPublishers.noBody())
                        .build()),
                202);
    }

    void remove(String path) throws CommandFailure {
        HttpResponse<byte[]> response = calls.send(calls.request(path).DELETE().build());
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

    private static JsonNode json(HttpResponse<byte[]> response, int expected) throws CommandFailure {
        if (response.statusCode() != expected) {
            throw ServerProblem.of(response);
        }
        JsonNode json = ServerCalls.json(response);
        if (json.isMissingNode()) {
            throw new CommandFailure(
                    ExitCode.SERVER_FAILED, "the server answered " + expected + " without JSON; expected an object");
        }
        return json;
    }

    @Override
    public void close() {
        calls.close();
    }
}
