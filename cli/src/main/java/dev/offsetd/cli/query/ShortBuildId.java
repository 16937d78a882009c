package dev.offsetd.cli.query;

import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.builds.BuildId;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Finds the build whose build-id begins with some digits, among those that a server knows. */
final class ShortBuildId {

    private ShortBuildId() {}

    /**
     * Returns the only build whose build-id begins with these digits. Stored builds come first, because any request for an
     * unknown build-id is remembered as one that was not found.
     *
     * @param digits in lower case; a build-id that consists of them alone is not meant
     * @throws CommandFailure if there is more than one
     */
    static Optional<BuildId> find(String digits, ServerCalls calls) throws CommandFailure {
        List<BuildId> found = list("state=extracted&q=", digits, calls);
        if (found.isEmpty()) {
            found = list("q=", digits, calls);
        }
        if (found.size() > 1) {
            throw CommandFailure.usage("several build-ids begin with " + digits + ", such as " + found.get(0) + " and "
                    + found.get(1) + "; expected more digits");
        }
        return found.stream().findFirst();
    }

    private static List<BuildId> list(String query, String digits, ServerCalls calls) throws CommandFailure {
        // Two builds, and the build-id that consists of the digits.
        HttpResponse<byte[]> response = calls.get("v1/builds?limit=3&" + query + digits);
        if (response.statusCode() != 200) {
            throw ServerProblem.failure(response);
        }
        List<BuildId> found = new ArrayList<>();
        try {
            JsonNode page = JsonMapper.shared().readTree(new String(response.body(), StandardCharsets.UTF_8));
            for (JsonNode build : page.path("builds")) {
                BuildId id = BuildId.parseKey(build.path("buildId").asString(""));
                if (id.toString().startsWith(digits) && !id.toString().equals(digits)) {
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
