package dev.offsetd.server.web;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Query string of a list: limit, cursor and filters. Unknown parameters are refused, because a misspelt filter would
 * silently return too much.
 */
public final class ListQuery {

    /** Entries of a page by default. */
    public static final int DEFAULT_LIMIT = 50;

    public static final int MAX_LIMIT = 200;

    private static final String LIMIT = "limit";
    private static final String CURSOR = "cursor";
    private static final String MACHINE = "machine";
    private static final int MAX_CURSOR_CHARS = 512;
    private static final int MAX_MACHINE_CHARS = 64;

    private final String path;
    private final Map<String, String> parameters;
    private final int limit;

    private ListQuery(String path, Map<String, String> parameters, int limit) {
        this.path = path;
        this.parameters = parameters;
        this.limit = limit;
    }

    /**
     * Parses the query string of a request.
     *
     * @param own names of the list's filters
     * @throws ProblemException if it is malformed: 400
     */
    public static ListQuery of(HttpServletRequest request, Set<String> own) {
        return of(request, own, DEFAULT_LIMIT, MAX_LIMIT);
    }

    /**
     * Parses the query string of a request.
     *
     * @param own names of the list's filters
     * @param defaultLimit entries of a page by default
     * @param maxLimit largest page
     * @throws ProblemException if it is malformed: 400
     */
    public static ListQuery of(HttpServletRequest request, Set<String> own, int defaultLimit, int maxLimit) {
        Set<String> known = new TreeSet<>(own);
        known.addAll(Set.of(LIMIT, CURSOR));
        Map<String, String> parameters = QueryString.parse(request.getQueryString(), known, _ -> true);
        return new ListQuery(request.getRequestURI(), parameters, limit(parameters.get(LIMIT), defaultLimit, maxLimit));
    }

    /** Returns the query for the first page of the list at this path. */
    public static ListQuery ofStart(String path) {
        return new ListQuery(path, Map.of(), DEFAULT_LIMIT);
    }

    private static int limit(@Nullable String text, int defaultLimit, int maxLimit) {
        if (text == null) {
            return defaultLimit;
        }
        if (Pattern.matches("[0-9]{1,9}", text)) {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= maxLimit) {
                return limit;
            }
        }
        throw bad("bad_limit", "limit " + HostileText.quote(text) + "; expected a number from 1 to " + maxLimit);
    }

    public int limit() {
        return limit;
    }

    /** Returns the value of a filter. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /**
     * Returns the value of a filter without surrounding white space; empty if there is none.
     *
     * @throws ProblemException if it has a NUL, which the database cannot store: 400
     */
    public Optional<String> filter(String name) {
        String text = parameters.getOrDefault(name, "").strip();
        if (text.indexOf('\0') >= 0) {
            throw badValue(name, text, "text without NUL");
        }
        return text.isEmpty() ? Optional.empty() : Optional.of(text);
    }

    /** Returns the value of a filter, empty if it is not given; 400 if it is neither true nor false. */
    public Optional<Boolean> flag(String name) {
        return parameter(name).map(word -> switch (word) {
            case "true" -> true;
            case "false" -> false;
            default -> throw badValue(name, word, "\"true\" or \"false\"");
        });
    }

    /** Returns the filter {@code machine}, empty if it is not given; 400 if it has no characters or too many. */
    public Optional<String> machine() {
        Optional<String> machine = parameter(MACHINE);
        machine.filter(name -> name.isEmpty() || name.length() > MAX_MACHINE_CHARS)
                .ifPresent(name -> {
                    throw badValue(MACHINE, name, "a name such as \"x86_64\"");
                });
        return machine;
    }

    /**
     * Returns the position after which the page starts; empty for the first page. The cursor names the list and order that
     * it was made for, and is refused by others.
     *
     * @param list letter of the list and its order
     * @throws ProblemException if the cursor is not one of this list: 400
     */
    public Optional<byte[]> position(char list) {
        String text = parameters.get(CURSOR);
        if (text == null) {
            return Optional.empty();
        }
        if (text.length() > MAX_CURSOR_CHARS) {
            throw badCursor();
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw badCursor();
        }
        if (bytes.length == 0 || bytes[0] != list) {
            throw badCursor();
        }
        return Optional.of(Arrays.copyOfRange(bytes, 1, bytes.length));
    }

    /** Returns the position in a list sorted by build-id; 400 as {@link #position}. */
    public Optional<BuildId> buildPosition(char list) {
        return position(list).map(ListQuery::buildAt);
    }

    /** Returns the build-id or alias key in a position; 400 as {@link #position}. */
    public static BuildId buildAt(byte[] bytes) {
        try {
            return BuildId.of(bytes);
        } catch (IllegalArgumentException e) {
            throw badCursor();
        }
    }

    /** Returns the position in a list sorted by number; 400 as {@link #position}. */
    public Optional<Long> numberPosition(char list) {
        return position(list, 1).map(numbers -> numbers[0]);
    }

    /** Returns the position in a list sorted by as many numbers; 400 as {@link #position}. */
    public Optional<long[]> position(char list, int count) {
        return position(list).map(bytes -> {
            if (bytes.length != count * Long.BYTES) {
                throw badCursor();
            }
            long[] numbers = new long[count];
            ByteBuffer.wrap(bytes).asLongBuffer().get(numbers);
            return numbers;
        });
    }

    /** Returns numbers as {@link #position(char, int)} reads them. */
    public static byte[] position(long... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Long.BYTES);
        bytes.asLongBuffer().put(numbers);
        return bytes.array();
    }

    /** Returns the position in a list sorted by creation; 400 as {@link #position}. */
    public Optional<CreationPosition> creationPosition(char list) {
        return position(list, CreationPosition.NUMBERS).map(CreationPosition::of);
    }

    public static ProblemException badCursor() {
        return bad(
                "bad_cursor", "the cursor is not from this list; expected the one in a response's \"next\", unchanged");
    }

    /** Returns the problem of an invalid value of a filter. */
    public static ProblemException badValue(String name, String value, String expected) {
        return bad("bad_" + name, name + " " + HostileText.quote(value) + "; expected " + expected);
    }

    /** Returns the path and query string of the page after a position, with the letter of {@link #position}. */
    public String next(char list, byte[] position) {
        byte[] cursor = ByteBuffer.allocate(1 + position.length)
                .put((byte) list)
                .put(position)
                .array();
        Map<String, String> next = new LinkedHashMap<>(parameters);
        next.put(CURSOR, Base64.getUrlEncoder().withoutPadding().encodeToString(cursor));
        return path(next);
    }

    /** Returns path and query of the first page; empty if this is the first page. */
    public Optional<String> first() {
        if (!parameters.containsKey(CURSOR)) {
            return Optional.empty();
        }
        Map<String, String> first = new LinkedHashMap<>(parameters);
        first.remove(CURSOR);
        return Optional.of(path(first));
    }

    private String path(Map<String, String> query) {
        return query.isEmpty()
                ? path
                : path + "?"
                        + query.entrySet().stream()
                                .map(parameter -> parameter.getKey() + "="
                                        + URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8))
                                .collect(Collectors.joining("&"));
    }

    /** Returns the problem of an invalid query: 400. */
    public static ProblemException bad(String code, String detail) {
        return ProblemException.badRequest(code, "The query of the list cannot be read", detail);
    }
}
