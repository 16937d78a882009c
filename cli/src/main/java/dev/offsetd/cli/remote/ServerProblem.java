package dev.offsetd.cli.remote;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.input.HostileText;
import java.net.http.HttpResponse;
import java.util.StringJoiner;
import tools.jackson.databind.JsonNode;

/** An error response: a problem document (RFC 9457), or any other content. */
public final class ServerProblem {

    private ServerProblem() {}

    /** Returns the failure of a call for one build or watch: 400, 404, 409 and 422 have the exit codes of a local file. */
    public static CommandFailure of(HttpResponse<byte[]> response) {
        JsonNode document = ServerCalls.json(response);
        int exitCode = isOurs(document) ? exitCode(response.statusCode(), document) : exitCode(response);
        return new CommandFailure(exitCode, text(response));
    }

    /**
     * Returns the exit code of a problem with one build or watch.
     *
     * @param status of the response, or of the answer in a batch
     */
    static int exitCode(int status, JsonNode problem) {
        return switch (status) {
            case 400, 409 -> ExitCode.USAGE;
            case 404 -> isWrongUrl(problem) ? ExitCode.USAGE : ExitCode.INCOMPLETE;
            case 422 -> ExitCode.BAD_FILE;
            case 401, 403 -> ExitCode.DENIED;
            default -> ExitCode.SERVER_FAILED;
        };
    }

    /** Returns the failure of any other call. */
    public static CommandFailure failure(HttpResponse<byte[]> response) {
        return failure("", response);
    }

    /**
     * Like {@link #failure(HttpResponse)}.
     *
     * @param what the object of the call, which precedes the description of the response
     */
    public static CommandFailure failure(String what, HttpResponse<byte[]> response) {
        return new CommandFailure(exitCode(response), what + text(response));
    }

    /** Describes the response in one line. */
    public static String text(HttpResponse<byte[]> response) {
        JsonNode document = ServerCalls.json(response);
        if (!isOurs(document)) {
            return "the server answered " + response.statusCode() + " with "
                    + response.headers()
                            .firstValue("Content-Type")
                            .map(HostileText::quote)
                            .orElse("no content type")
                    + "; expected JSON from an offsetd server";
        }
        StringJoiner message = new StringJoiner("; ");
        String detail = document.path("detail").asString("");
        message.add("the server answered " + response.statusCode() + ", "
                + document.path("title").asString("") + (detail.isEmpty() ? "" : ": " + detail));
        if (isWrongUrl(document)) {
            message.add("check the URL");
        }
        for (JsonNode source : document.path("checked")) {
            String name = source.path("source").asString("?");
            if (!detail.contains(name)) {
                message.add(name + ": "
                        + source.path("detail").asString(source.path("outcome").asString("?")));
            }
        }
        response.headers()
                .firstValue("Retry-After")
                .ifPresent(seconds -> message.add("try again after " + seconds + " s"));
        if (response.statusCode() == 401
                && response.request().headers().firstValue("Authorization").isEmpty()) {
            message.add("name a file with the token as --token-file, or set OFFSETD_TOKEN; on the server, offsetd token"
                    + " create makes one");
        }
        return message.toString();
    }

    private static boolean isWrongUrl(JsonNode document) {
        return document.path("code").asString("").equals("no_such_resource");
    }

    private static boolean isOurs(JsonNode document) {
        return !document.path("title").asString("").isEmpty()
                || !document.path("detail").asString("").isEmpty();
    }

    private static int exitCode(HttpResponse<?> response) {
        return response.statusCode() == 401 || response.statusCode() == 403 ? ExitCode.DENIED : ExitCode.SERVER_FAILED;
    }
}
