package dev.offsetd.cli.query;

import dev.offsetd.cli.answer.FrameText;
import dev.offsetd.cli.remote.RemoteFrames;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.query.answer.FrameStatus;
import java.io.IOException;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Prints the functions and lines that a server has at addresses of a build. */
final class FramesQuery {

    private static final String NO_LINE = FrameStatus.NO_LINE.word();

    private final Console console;
    private final RemoteFrames frames;

    FramesQuery(Console console, ServerCalls calls) {
        this.console = console;
        this.frames = new RemoteFrames(console, calls);
    }

    /**
     * Asks until the server has read the build.
     *
     * @param returnAddress whether the byte before each address is looked up
     * @param asJson whether to print the server's answer
     */
    int run(BuildId id, List<String> addresses, boolean returnAddress, boolean asJson)
            throws CommandFailure, IOException {
        JsonNode answer = frames.ask(id, addresses, returnAddress);
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
                    at.path("frames").valueStream().map(RemoteFrames::frame).toList();
            for (String line : FrameText.lines(frames)) {
                console.println(line);
            }
            if (frames.isEmpty()) {
                console.println("  " + Printable.of(at.path("status").asString("")));
            }
        }
    }
}
