package dev.offsetd.cli.remote;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.HostileText;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An answer that is none: a problem document (RFC 9457), or whatever else stands in for one. */
final class Problem {

    private Problem() {}

    /** The failure that tells the user, in one line, what the server said. */
    static CommandFailure of(HttpResponse<byte[]> response) {
        StringJoiner message = new StringJoiner("; ");
        JsonNode document = parse(response.body());
        String title = document.path("title").asString("");
        String detail = document.path("detail").asString("");
        if (title.isEmpty() && detail.isEmpty()) {
            return new CommandFailure(
                    ExitCode.SERVER_FAILED,
                    "the server answered " + response.statusCode() + " with "
                            + response.headers()
                                    .firstValue("Content-Type")
                                    .map(HostileText::quote)
                                    .orElse("no content type")
                            + "; expected JSON of an offsetd server");
        }
        message.add("the server answered " + response.statusCode() + ", " + title
                + (detail.isEmpty() ? "" : ": " + detail));
        for (JsonNode source : document.path("checked")) {
            message.add(source.path("source").asString("?") + ": "
                    + source.path("detail").asString(source.path("outcome").asString("?")));
        }
        response.headers()
                .firstValue("Retry-After")
                .ifPresent(seconds -> message.add("try again after " + seconds + " s"));
        return new CommandFailure(exitCode(response.statusCode()), message.toString());
    }

    /** The codes mean what they mean for a file: not there, not understood, not usable; the rest is the server's. */
    private static int exitCode(int status) {
        return switch (status) {
            case 400 -> ExitCode.USAGE;
            case 404 -> ExitCode.INCOMPLETE;
            case 422 -> ExitCode.BAD_FILE;
            default -> ExitCode.SERVER_FAILED;
        };
    }

    private static JsonNode parse(byte[] body) {
        try {
            return JsonMapper.shared().readTree(new String(body, StandardCharsets.UTF_8));
        } catch (JacksonException e) {
            // Not a document; the caller says so with the content type.
            return JsonMapper.shared().createObjectNode();
        }
    }
}
