package dev.offsetd.cli.prewarm;

import com.google.re2j.Pattern;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.builds.BuildId;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Client of {@code /v1/prewarms}. */
final class PrewarmClient {

    static final int MAX_BUILDS = 1_000;

    private final ServerCalls calls;

    PrewarmClient(ServerCalls calls) {
        this.calls = calls;
    }

    /**
     * A batch on the server.
     *
     * @param state {@code active}, {@code done} or {@code cancelled}
     */
    record Batch(String id, String state, List<BuildProgress> builds) {

        boolean hasEnded() {
            return !state.equals("active");
        }
    }

    URI uri(String id) {
        return calls.uri("v1/prewarms/" + id);
    }

    /**
     * Starts a batch of up to {@link #MAX_BUILDS} builds; the server resumes an equal active batch.
     *
     * @param types items that each build must have
     */
    Batch start(List<RequestedBuild> builds, List<String> types, Priority priority) throws CommandFailure {
        ObjectNode body = JsonMapper.shared().createObjectNode();
        ArrayNode ids = body.putArray("builds");
        ObjectNode names = JsonMapper.shared().createObjectNode();
        for (RequestedBuild build : builds) {
            ids.add(build.buildId().toString());
            build.path().ifPresent(path -> names.put(build.buildId().toString(), path));
        }
        if (!names.isEmpty()) {
            body.set("names", names);
        }
        ArrayNode items = body.putArray("types");
        types.forEach(items::add);
        body.put("priority", priority.name().toLowerCase(Locale.ROOT));
        return read(calls.send(calls.request("v1/prewarms", body.toString()).build()), 202);
    }

    /**
     * Returns the key under which the server has stored the build with this key; the key itself if it has none, or several,
     * which the batch reports.
     */
    BuildId stored(BuildId key) throws CommandFailure {
        HttpResponse<byte[]> response = calls.get("v1/builds/" + key);
        if (response.statusCode() == 404 || response.statusCode() == 409) {
            return key;
        }
        if (response.statusCode() != 200) {
            throw ServerProblem.failure(response);
        }
        try {
            return BuildId.parseKey(ServerCalls.json(response).path("buildId").asString(""));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(
                    ExitCode.SERVER_FAILED, "the server answered 200 without a build; expected buildId");
        }
    }

    Batch get(String id) throws CommandFailure {
        return read(calls.get("v1/prewarms/" + id), 200);
    }

    private static Batch read(HttpResponse<byte[]> response, int expected) throws CommandFailure {
        if (response.statusCode() != expected) {
            throw response.statusCode() == 400 ? ServerProblem.of(response) : ServerProblem.failure(response);
        }
        return parse(ServerCalls.json(response))
                .orElseThrow(() -> new CommandFailure(
                        ExitCode.SERVER_FAILED,
                        "the server answered " + expected + " without a batch; expected id, state and items"));
    }

    private static Optional<Batch> parse(JsonNode document) {
        String id = document.path("id").asString("");
        String state = document.path("state").asString("");
        if (!Pattern.matches("[0-9a-fA-F-]{1,64}", id) || state.isEmpty()) {
            return Optional.empty();
        }
        List<BuildProgress> builds = new ArrayList<>();
        for (JsonNode item : document.path("items")) {
            Optional<BuildProgress> build = BuildProgress.of(item);
            if (build.isEmpty()) {
                return Optional.empty();
            }
            builds.add(build.get());
        }
        return Optional.of(new Batch(id, state, builds));
    }
}
