package dev.offsetd.cli.remote;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.Frame;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Functions and lines that a server has. */
public final class RemoteFrames {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Console console;
    private final ServerCalls calls;

    public RemoteFrames(Console console, ServerCalls calls) {
        this.console = console;
        this.calls = calls;
    }

    /**
     * Asks until the server has read the build.
     *
     * @param returnAddress whether the byte before each address is looked up
     * @return the answer, with an entry for each address
     * @throws CommandFailure if the server has none
     */
    public JsonNode ask(BuildId id, List<String> addresses, boolean returnAddress) throws CommandFailure {
        Map<String, Object> query = new LinkedHashMap<>();
        query.put("buildId", id.toString());
        query.put("addresses", addresses);
        if (returnAddress) {
            query.put("returnAddress", true);
        }
        String body = JsonMapper.shared().writeValueAsString(List.of(query));
        JsonNode reply = send(body);
        while (reply.path("status").asInt() == 202) {
            if (calls.timeLeft().isZero()) {
                throw new CommandFailure(
                        ExitCode.SERVER_FAILED,
                        "the server is still reading build " + id + "; try again later, or with a longer --wait");
            }
            console.progress("the server is reading the build's debug file");
            calls.pause(PAUSE);
            reply = send(body);
        }
        console.clearProgress();
        if (reply.has("problem")) {
            JsonNode problem = reply.path("problem");
            throw new CommandFailure(
                    ServerProblem.exitCode(reply.path("status").asInt(), problem),
                    Printable.of(problem.path("detail").asString("the server failed")));
        }
        return reply.path("answer");
    }

    /**
     * Returns the frames at an address; none if the server has no function and no line there.
     *
     * @param report takes the reason if the server could not look the address up
     * @throws CommandFailure if the server has no answer for the build
     */
    public List<Frame> at(BuildId id, String address, boolean returnAddress, Consumer<String> report)
            throws CommandFailure {
        calls.restartTimer();
        JsonNode answer = ask(id, List.of(address), returnAddress);
        JsonNode at = answer.path("addresses").path(address);
        for (JsonNode detail : List.of(answer.path("problem").path("detail"), at.path("detail"))) {
            detail.stringValueOpt().map(Printable::of).ifPresent(report);
        }
        return at.path("frames").valueStream().map(RemoteFrames::frame).toList();
    }

    private JsonNode send(String body) throws CommandFailure {
        HttpResponse<byte[]> response = calls.send(calls.request("v1/symbolize", body)
                .header("Prefer", calls.waitPreference())
                .build());
        JsonNode reply = ServerCalls.json(response).path("answers").path(0);
        if (response.statusCode() != 200 || !reply.isObject()) {
            throw ServerProblem.of(response);
        }
        return reply;
    }

    /** Returns a frame of an answer. */
    public static Frame frame(JsonNode json) {
        return new Frame(
                text(json, "function"),
                text(json, "linkageName"),
                text(json, "file"),
                json.path("line").asInt(0),
                json.path("column").asInt(0),
                json.path("discriminator").asInt(0),
                json.path("inlined").asBoolean(false));
    }

    private static @Nullable String text(JsonNode json, String member) {
        return json.path(member).isString() ? json.path(member).asString() : null;
    }
}
