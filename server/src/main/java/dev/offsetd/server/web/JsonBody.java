package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** JSON bodies of requests, up to a size. */
public final class JsonBody {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** Jackson's message begins so, before the quoted name. */
    private static final String DUPLICATE = "Duplicate Object property ";

    private JsonBody() {}

    /**
     * Parses the body of a request.
     *
     * @param expected description of a valid body, for the client
     * @throws ProblemException if the body is too large (413), malformed, or has text that is not {@linkplain PlainText
     *     plain} (400)
     */
    public static JsonNode read(HttpServletRequest request, int maxBytes, String expected) throws IOException {
        byte[] body = request.getInputStream().readNBytes(maxBytes + 1);
        if (body.length > maxBytes) {
            throw tooLarge("the body has more than " + maxBytes + " bytes", maxBytes);
        }
        ContentMeter.add(request, 0, body.length);
        JsonNode json;
        try {
            json = JSON.readTree(body);
        } catch (JacksonException e) {
            throw bad(position(e.getLocation()) + fault(e), expected);
        }
        ContentMeter.add(request, requirePlain(json, new ArrayDeque<>()), 0);
        return json;
    }

    private static String fault(JacksonException e) {
        if (e instanceof StreamConstraintsException) {
            return "a number is too long, or the nesting too deep";
        }
        String message = String.valueOf(e.getOriginalMessage());
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
     * Requires that all strings of a tree are plain, and returns their number. The parser limits its depth.
     *
     * @param path names and indices from the root
     */
    private static int requirePlain(JsonNode json, Deque<Object> path) {
        int strings = 0;
        if (json.isString()) {
            strings++;
            PlainText.require(json.asString(), () -> path.isEmpty() ? "the body" : "member " + pointer(path));
        } else if (json.isArray()) {
            for (int i = 0; i < json.size(); i++) {
                path.addLast(i);
                strings += requirePlain(json.get(i), path);
                path.removeLast();
            }
        } else {
            for (Map.Entry<String, JsonNode> member : json.properties()) {
                path.addLast(member.getKey());
                PlainText.require(member.getKey(), () -> "the name of member " + pointer(path));
                strings += requirePlain(member.getValue(), path);
                path.removeLast();
            }
        }
        return strings;
    }

    private static String pointer(Deque<Object> path) {
        return HostileText.quote(path.stream().map(step -> "/" + step).collect(Collectors.joining()));
    }

    /**
     * Returns the strings of an array.
     *
     * @param entry what an entry is, with a place for its number: {@code item %d}
     * @param expected description of a valid body, for the client
     * @throws ProblemException if an entry is not a string: 400
     */
    public static List<String> strings(JsonNode array, String entry, String expected) {
        List<String> strings = new ArrayList<>();
        for (JsonNode each : array) {
            String text = each.stringValueOpt()
                    .orElseThrow(() -> bad(
                            entry.formatted(strings.size() + 1) + " is " + HostileText.quote(each.toString()),
                            expected));
            strings.add(text);
        }
        return strings;
    }

    /** Returns the first member of an object that is not among these. */
    public static Optional<String> unexpectedMember(JsonNode object, Set<String> expected) {
        return object.propertyNames().stream()
                .filter(name -> !expected.contains(name))
                .findFirst();
    }

    /** Returns the problem of an invalid body: 400. */
    public static ProblemException bad(String detail, String expected) {
        return new ProblemException(Problem.of(
                HttpStatus.BAD_REQUEST, "bad_body", "The body cannot be read", detail + "; expected " + expected));
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
