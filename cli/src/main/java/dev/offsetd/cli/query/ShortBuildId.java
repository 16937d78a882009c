package dev.offsetd.cli.query;

import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.builds.BuildId;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Finds the build whose build-id begins with some digits, among those that a server knows. */
final class ShortBuildId {

    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

    private ShortBuildId() {}

    /**
     * Returns the only known build whose build-id begins with these digits.
     *
     * @param digits in lower case
     * @throws CommandFailure if there is none, or more than one
     */
    static BuildId resolve(String digits, ServerCalls calls) throws CommandFailure {
        List<BuildId> found = find(digits, calls);
        if (found.isEmpty()) {
            throw new CommandFailure(ExitCode.INCOMPLETE, "the server knows no build-id that begins with " + digits);
        }
        if (found.size() > 1) {
            throw CommandFailure.usage("several build-ids begin with " + digits + ", such as " + found.get(0) + " and "
                    + found.get(1) + "; expected more digits");
        }
        return found.getFirst();
    }

    private static List<BuildId> find(String digits, ServerCalls calls) throws CommandFailure {
        HttpResponse<byte[]> response = calls.send(HttpRequest.newBuilder(calls.uri("v1/builds?limit=2&q=" + digits))
                .timeout(CALL_TIMEOUT)
                .header("Accept", "application/json")
                .build());
        if (response.statusCode() != 200) {
            throw ServerProblem.failure(response);
        }
        List<BuildId> found = new ArrayList<>();
        try {
            JsonNode page = JsonMapper.shared().readTree(new String(response.body(), StandardCharsets.UTF_8));
            for (JsonNode build : page.path("builds")) {
                BuildId id = BuildId.parseKey(build.path("buildId").asString(""));
                if (id.toString().startsWith(digits)) {
                    found.add(id);
                }
            }
        } catch (JacksonException | IllegalArgumentException e) {
            throw new CommandFailure(
                    ExitCode.SERVER_FAILED, "the server answered 200 without a list of builds; expected builds");
        }
        return found;
    }
}
