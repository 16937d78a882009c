package dev.offsetd.cli.query;

import dev.offsetd.cli.answer.FrameText;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.query.answer.FrameStatus;
import java.io.IOException;
import java.math.BigInteger;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Prints the functions and lines that a server has at addresses of a build. */
final class FramesQuery {

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final String NO_LINE = FrameStatus.NO_LINE.word();

    private final Console console;
    private final ServerCalls calls;

    FramesQuery(Console console, ServerCalls calls) {
        this.console = console;
        this.calls = calls;
    }

    /**
     * Asks until the server has read the build.
     *
     * @param returnAddress whether the byte before each address is looked up
     * @param asJson whether to print the server's answer
     */
    int run(BuildId id, List<String> addresses, boolean returnAddress, boolean asJson)
            throws CommandFailure, IOException {
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
            int status = reply.path("status").asInt();
            throw new CommandFailure(
                    status == 404
                            ? ExitCode.INCOMPLETE
                            : status == 400
                                    ? ExitCode.USAGE
                                    : status == 422 ? ExitCode.BAD_FILE : ExitCode.SERVER_FAILED,
                    Printable.of(reply.path("problem").path("detail").asString("the server failed")));
        }
        JsonNode answer = reply.path("answer");
        if (asJson) {
            console.println(answer.toString());
        } else {
            print(answer);
        }
        JsonNode found = answer.path("addresses");
        if (!found.isEmpty()
                && found.valueStream()
                        .allMatch(at -> at.path("status").asString("").equals(NO_LINE))) {
            console.say("the server has functions and no lines at "
                    + (found.size() == 1 ? "this address" : "these addresses")
                    + "; offsetd push sends line tables only with --whole");
        }
        return answer.path("complete").asBoolean(false) ? ExitCode.OK : ExitCode.INCOMPLETE;
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

    private void print(JsonNode answer) throws IOException {
        if (answer.has("problem")) {
            console.say(Printable.of(answer.path("problem").path("detail").asString("")));
        }
        for (Map.Entry<String, JsonNode> address : answer.path("addresses").properties()) {
            JsonNode at = address.getValue();
            JsonNode symbol = at.path("symbol");
            String place = symbol.isObject()
                    ? " " + symbol.path("name").asString("") + "+0x"
                            + symbol.path("offset")
                                    .bigIntegerValue(BigInteger.ZERO)
                                    .toString(16)
                    : "";
            console.println(Printable.of(address.getKey() + place));
            List<Frame> frames =
                    at.path("frames").valueStream().map(FramesQuery::frame).toList();
            for (String line : FrameText.lines(frames)) {
                console.println(line);
            }
            if (frames.isEmpty()) {
                console.println("  " + Printable.of(at.path("status").asString("")));
            }
        }
    }

    private static Frame frame(JsonNode json) {
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
