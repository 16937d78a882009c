package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import jakarta.servlet.http.HttpServletRequest;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * What a request asks of a list: how much of it, from where on, and by which parameters of the list's own. A parameter that
 * the list does not have is refused, because a slip in a filter would otherwise show too much in silence.
 */
public final class ListQuery {

    /** Entries of a page that asks for no number. */
    public static final int DEFAULT_LIMIT = 50;

    /** Most entries of a page. */
    public static final int MAX_LIMIT = 200;

    private static final String LIMIT = "limit";
    private static final String CURSOR = "cursor";

    private final String path;
    private final Map<String, String> parameters;
    private final int limit;

    private ListQuery(String path, Map<String, String> parameters, int limit) {
        this.path = path;
        this.parameters = parameters;
        this.limit = limit;
    }

    /**
     * Reads a request's query.
     *
     * @param own the list's own parameters
     * @throws ProblemException if it cannot be read: 400
     */
    public static ListQuery of(HttpServletRequest request, Set<String> own) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (QueryString.Parameter parameter : QueryString.parse(request.getQueryString(), name -> true)) {
            String name = parameter.name();
            if (!name.equals(LIMIT) && !name.equals(CURSOR) && !own.contains(name)) {
                Set<String> known = new TreeSet<>(own);
                known.addAll(Set.of(LIMIT, CURSOR));
                throw bad(
                        "unknown_parameter",
                        "parameter " + HostileText.quote(name) + "; expected " + String.join(", ", known));
            }
            if (parameters.putIfAbsent(name, parameter.value()) != null) {
                throw bad("repeated_parameter", "parameter " + name + " is given more than once");
            }
        }
        return new ListQuery(request.getRequestURI(), parameters, limit(parameters.get(LIMIT)));
    }

    /** The query for the start of the list at this path. */
    public static ListQuery ofStart(String path) {
        return new ListQuery(path, Map.of(), DEFAULT_LIMIT);
    }

    private static int limit(@Nullable String text) {
        if (text == null) {
            return DEFAULT_LIMIT;
        }
        if (text.matches("[0-9]{1,9}")) {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= MAX_LIMIT) {
                return limit;
            }
        }
        throw bad("bad_limit", "limit " + HostileText.quote(text) + "; expected a number from 1 to " + MAX_LIMIT);
    }

    /** Most entries to give. */
    public int limit() {
        return limit;
    }

    /** The value of one of the list's own parameters, if it was given. */
    public Optional<String> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    /**
     * The place behind which the page begins; empty for the first page.
     *
     * @param list as in {@link Cursor#encode}
     * @throws ProblemException if the cursor is none of this list: 400
     */
    public Optional<byte[]> place(char list) {
        String text = parameters.get(CURSOR);
        return text == null
                ? Optional.empty()
                : Optional.of(Cursor.decode(list, text).orElseThrow(ListQuery::badCursor));
    }

    /**
     * The same for a list that has the newest first.
     *
     * @throws ProblemException as {@link #place}
     */
    public Optional<CreationPosition> creationPlace(char list) {
        return place(list).map(bytes -> CreationPosition.of(bytes).orElseThrow(ListQuery::badCursor));
    }

    /** The problem of a cursor that cannot be read. */
    public static ProblemException badCursor() {
        return bad("bad_cursor", "the cursor is none of this list; expected that of an answer's \"next\", unchanged");
    }

    /** The problem of a parameter's value. */
    public static ProblemException badValue(String name, String value, String expected) {
        return bad("bad_" + name, name + " " + HostileText.quote(value) + "; expected " + expected);
    }

    /** Path and query of the next page, which begins behind this place. */
    public String next(char list, byte[] place) {
        Map<String, String> next = new LinkedHashMap<>(parameters);
        next.put(CURSOR, Cursor.encode(list, place));
        return path + "?"
                + next.entrySet().stream()
                        .map(parameter -> parameter.getKey() + "="
                                + URLEncoder.encode(parameter.getValue(), StandardCharsets.UTF_8))
                        .collect(Collectors.joining("&"));
    }

    private static ProblemException bad(String code, String detail) {
        return new ProblemException(
                Problem.of(HttpStatus.BAD_REQUEST, code, "The query of the list cannot be read", detail));
    }
}
