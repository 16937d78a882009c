package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Bodies of requests: JSON, up to a size. */
public final class JsonBody {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private JsonBody() {}

    /**
     * The body of a request.
     *
     * @param expected what it should be, for whoever sends something else
     * @throws ProblemException if it is larger (413) or no JSON (400)
     */
    public static JsonNode read(HttpServletRequest request, int maxBytes, String expected) throws IOException {
        byte[] body = request.getInputStream().readNBytes(maxBytes + 1);
        if (body.length > maxBytes) {
            throw tooLarge("the body has more than " + maxBytes + " bytes", maxBytes);
        }
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            throw bad(
                    "line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ": not JSON",
                    expected);
        }
    }

    /** The problem of a body that is not what it should be: 400. */
    public static ProblemException bad(String detail, String expected) {
        return new ProblemException(Problem.of(
                HttpStatus.BAD_REQUEST, "bad_body", "The body cannot be read", detail + "; expected " + expected));
    }

    /** The problem of a body that is larger than the limit: 413, which says the limit. */
    public static ProblemException tooLarge(String detail, int limit) {
        return new ProblemException(Problem.of(
                        HttpStatus.CONTENT_TOO_LARGE,
                        "too_large",
                        "The body is too large",
                        detail + "; the limit is " + limit)
                .with("limit", limit));
    }
}
