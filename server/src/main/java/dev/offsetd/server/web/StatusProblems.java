package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** Problems for errors that are known by their status only. */
public final class StatusProblems {

    private StatusProblems() {}

    /**
     * The problem of a caller that takes nothing of what there is.
     *
     * @param accept what it takes
     * @param available media types that there are
     */
    static Problem notAcceptable(String accept, List<String> available) {
        return of(
                        HttpStatus.NOT_ACCEPTABLE,
                        "Accept " + HostileText.quote(accept) + " leaves no format; this resource has "
                                + String.join(", ", available))
                .with("available", available);
    }

    /**
     * The problem for a status.
     *
     * @param detail what happened, or null for words that fit the status
     */
    public static Problem of(HttpStatus status, @Nullable String detail) {
        return switch (status) {
            case BAD_REQUEST ->
                Problem.of(
                        status,
                        "bad_request",
                        "The request cannot be read",
                        detail != null
                                ? detail
                                : "the request line, an escape in it, or a header is malformed or too large");
            case NOT_FOUND ->
                Problem.of(
                        status,
                        "no_such_resource",
                        "No such resource",
                        detail != null ? detail : "nothing is served at this path");
            case INTERNAL_SERVER_ERROR ->
                Problem.of(
                        status,
                        "internal",
                        "A fault of the server",
                        detail != null ? detail : "the server failed; its log has the cause under the request id");
            default ->
                Problem.of(
                        status,
                        status.name().toLowerCase(Locale.ROOT),
                        status.getReasonPhrase(),
                        detail != null ? detail : status.getReasonPhrase().toLowerCase(Locale.ROOT));
        };
    }
}
