package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** Problems of errors that are known only by their status. */
public final class StatusProblems {

    private StatusProblems() {}

    /** Returns the problem of a client that accepts none of the available media types. */
    static Problem notAcceptable(String accept, List<String> available) {
        return of(
                        HttpStatus.NOT_ACCEPTABLE,
                        "Accept " + HostileText.quote(accept) + " leaves no format; this resource has "
                                + String.join(", ", available))
                .with("available", available);
    }

    /**
     * Returns the problem of a status.
     *
     * @param detail null for a default text
     */
    public static Problem of(HttpStatus status, @Nullable String detail) {
        return switch (status) {
            case BAD_REQUEST ->
                Problem.of(
                        status,
                        "bad_request",
                        "The request cannot be read",
                        Objects.requireNonNullElse(
                                detail, "the request line, an escape in it, or a header is malformed or too large"));
            case REQUEST_TIMEOUT ->
                Problem.of(
                        status,
                        "too_slow",
                        "The body took too long",
                        Objects.requireNonNullElse(
                                detail, "nothing arrived for too long before the body was complete"));
            case NOT_FOUND ->
                Problem.of(
                        status,
                        "no_such_resource",
                        "No such resource",
                        Objects.requireNonNullElse(detail, "nothing is served at this path"));
            case INTERNAL_SERVER_ERROR ->
                Problem.of(
                        status,
                        "internal",
                        "Internal server error",
                        Objects.requireNonNullElse(
                                detail, "the server failed; its log has the cause under the request id"));
            default ->
                Problem.of(
                        status,
                        status.name().toLowerCase(Locale.ROOT),
                        status.getReasonPhrase(),
                        Objects.requireNonNullElse(
                                detail, status.getReasonPhrase().toLowerCase(Locale.ROOT)));
        };
    }
}
