package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.util.StringUtils;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.json.JsonMapper;

/** JSON bodies of requests, up to a size. */
public final class JsonBody {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Jackson's message begins so, before the quoted name. */
    private static final String DUPLICATE = "Duplicate Object property ";

    private static final String NESTING = "Document nesting depth";

    private static final String BODY = "body";
    private static final int MAX_NUMBER_CHARS = 60;

    private JsonBody() {}

    /**
     * Parses the body of a request.
     *
     * @param expected description of a valid body, for the client
     * @throws ProblemException if the body is too large (413), malformed, or has text that is not {@linkplain PlainText
     *     plain} (400)
     */
    public static JsonNode read(HttpServletRequest request, int maxBytes, String expected) throws IOException {
        // A large body has a place in memory until the stream is closed.
        try (InputStream in = request.getInputStream()) {
            byte[] body = in.readNBytes(maxBytes + 1);
            if (body.length > maxBytes) {
                throw tooLarge("the body has more than " + maxBytes + " bytes", maxBytes);
            }
            ContentMeter.add(request, 0, body.length);
            Parsed parsed = BodyParsing.of(request, body.length, () -> parsed(body, expected));
            ContentMeter.add(request, parsed.names(), 0);
            return parsed.json();
        }
    }

    /** @param names in all of its strings */
    private record Parsed(JsonNode json, int names) {}

    private static Parsed parsed(byte[] body, String expected) {
        JsonNode json;
        try {
            json = JSON.readTree(body);
        } catch (JacksonException e) {
            throw bad(BODY, position(e.getLocation()) + fault(e) + "; expected " + expected);
        } catch (NumberFormatException _) {
            // The exponent is beyond those of BigDecimal.
            throw bad(BODY, "a number is too large or too small; expected " + expected);
        }
        return new Parsed(json, requirePlain(json, new ArrayDeque<>()));
    }

    private static String fault(JacksonException e) {
        String message = String.valueOf(e.getOriginalMessage());
        if (e instanceof StreamConstraintsException) {
            return message.startsWith(NESTING) ? "the nesting is too deep" : "a number or a name is too long";
        }
        if (e instanceof MismatchedInputException) {
            return "text after the JSON value";
        }
        return message.startsWith(DUPLICATE)
                ? "member " + HostileText.quote(unquoted(message.substring(DUPLICATE.length()))) + " is given twice"
                : "not JSON";
    }

    private static String unquoted(String name) {
        return name.length() < 2 ? name : name.substring(1, name.length() - 1);
    }

    /** Returns the position of the parser. A number that is too long has none. */
    private static String position(@Nullable TokenStreamLocation location) {
        return location == null
                ? "the body: "
                : "line " + location.getLineNr() + ", column " + location.getColumnNr() + ": ";
    }

    /**
     * Requires that all strings of a tree are plain, and returns the number of names in them. The parser limits its depth.
     *
     * @param path names and indices from the root
     */
    private static int requirePlain(JsonNode json, Deque<Object> path) {
        int names = 0;
        if (json.isString()) {
            names += 1 + StringUtils.countOccurrencesOf(json.asString(), "|");
            PlainText.require(json.asString(), () -> place(path));
        } else if (json.isArray()) {
            for (int i = 0; i < json.size(); i++) {
                path.addLast(i);
                names += requirePlain(json.get(i), path);
                path.removeLast();
            }
        } else {
            for (Map.Entry<String, JsonNode> member : json.properties()) {
                path.addLast(member.getKey());
                PlainText.require(member.getKey(), () -> "the name of " + place(path));
                names += requirePlain(member.getValue(), path);
                path.removeLast();
            }
        }
        return names;
    }

    private static String place(Deque<Object> path) {
        String place = "";
        for (Object step : path) {
            place = step instanceof String name
                    ? JsonObject.within(place, name)
                    : (place.isEmpty() ? BODY : place) + '[' + step + ']';
        }
        return place.isEmpty() ? BODY : place;
    }

    /** Returns a value for a message: a string in quotes, an object or array by its kind. */
    static String shown(JsonNode value) {
        return switch (value.getNodeType()) {
            case MISSING -> "missing";
            case OBJECT -> "an object";
            case ARRAY -> value.isEmpty() ? "an empty array" : "an array";
            case STRING -> HostileText.quote(value.asString());
            default -> StringUtils.truncate(value.toString(), MAX_NUMBER_CHARS);
        };
    }

    /** Returns a body, whose members are read with the problems of {@link #bad(String, String)}. */
    public static JsonObject object(JsonNode body) {
        return new JsonObject(body, "", JsonBody::bad);
    }

    /**
     * Returns the problem of an invalid body: 400.
     *
     * @param place of the fault, such as {@code queries[3].buildId}
     */
    public static ProblemException bad(String place, String detail) {
        return new ProblemException(Problem.of(HttpStatus.BAD_REQUEST, "bad_body", "The body cannot be read", detail)
                .with("place", place));
    }

    /** Returns the problem of the value at a place: 400. */
    public static ProblemException bad(String place, JsonNode value, String expected) {
        return object(value).bad(place, value, expected);
    }

    /** Returns the problem of a body that exceeds a limit: 413. */
    public static ProblemException tooLarge(String detail, long limit) {
        return new ProblemException(Problem.of(
                        HttpStatus.CONTENT_TOO_LARGE,
                        "too_large",
                        "The body is too large",
                        detail + "; the limit is " + limit)
                .with("limit", limit));
    }
}
