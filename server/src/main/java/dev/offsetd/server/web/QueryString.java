package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Parser of query strings (RFC 3986 section 3.4, {@code name=value} joined by {@code &}). The servlet container's
 * parser does not fit: it reads every {@code +} as a space and replaces malformed escapes.
 */
public final class QueryString {

    private QueryString() {}

    /** Decoded {@code name=value}; a name alone has an empty value. */
    public record Parameter(String name, String value) {}

    /**
     * Parses a query string in linear time.
     *
     * @param query undecoded, without the question mark: each {@code char} is one byte; null if absent
     * @param plusIsSpace names in whose values {@code +} is a space; in others it is one if the value escapes another {@code
     *     +}, as forms do
     * @throws ProblemException if an escape is malformed, or the text is not UTF-8 or not {@linkplain PlainText plain}:
     *     400
     */
    public static List<Parameter> parse(@Nullable String query, Predicate<String> plusIsSpace) {
        List<Parameter> parameters = new ArrayList<>();
        if (query == null) {
            return parameters;
        }
        int start = 0;
        while (start <= query.length()) {
            int end = query.indexOf('&', start);
            if (end < 0) {
                end = query.length();
            }
            if (end > start) {
                int equals = query.indexOf('=', start, end);
                int nameEnd = equals < 0 ? end : equals;
                String name = PercentEncoding.QUERY.decode(query, start, nameEnd, false);
                PlainText.require(name, () -> "the name of parameter " + HostileText.quote(name));
                int from = Math.min(nameEnd + 1, end);
                boolean form = plusIsSpace.test(name) || escapesPlus(query, from, end);
                String value = PercentEncoding.QUERY.decode(query, from, end, form);
                PlainText.require(value, () -> "parameter " + HostileText.quote(name));
                parameters.add(new Parameter(name, value));
            }
            start = end + 1;
        }
        return parameters;
    }

    /**
     * Parses a query string of known parameters, each once unless it is repeatable.
     *
     * @return values by name
     * @throws ProblemException as {@link #parse(String, Predicate)}, or if a parameter is unknown or repeated: 400
     */
    public static Map<String, List<String>> parse(
            @Nullable String query, Set<String> known, Set<String> repeatable, Predicate<String> plusIsSpace) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (Parameter parameter : parse(query, plusIsSpace)) {
            String name = parameter.name();
            if (!known.contains(name)) {
                throw ProblemException.badRequest(
                        "unknown_parameter",
                        "Unknown parameter",
                        "parameter " + HostileText.quote(name) + "; expected "
                                + String.join(", ", known.stream().sorted().toList()));
            }
            List<String> given = values.computeIfAbsent(name, _ -> new ArrayList<>());
            if (!given.isEmpty() && !repeatable.contains(name)) {
                throw ProblemException.badRequest(
                        "repeated_parameter",
                        "Repeated parameter",
                        "parameter " + name + " is given twice; expected once");
            }
            given.add(parameter.value());
        }
        return values;
    }

    /** Parses a query string of known parameters, each once, see {@link #parse(String, Set, Set, Predicate)}. */
    public static Map<String, String> parse(@Nullable String query, Set<String> known, Predicate<String> plusIsSpace) {
        Map<String, String> values = new LinkedHashMap<>();
        parse(query, known, Set.of(), plusIsSpace).forEach((name, given) -> values.put(name, given.getFirst()));
        return values;
    }

    /** Returns the first value of a parameter of a query string, see {@link #parse(String, Predicate)}. */
    public static Optional<String> first(@Nullable String query, String name) {
        return parse(query, _ -> false).stream()
                .filter(parameter -> parameter.name().equals(name))
                .map(Parameter::value)
                .findFirst();
    }

    private static boolean escapesPlus(String query, int from, int end) {
        return query.indexOf("%2B", from, end) >= 0 || query.indexOf("%2b", from, end) >= 0;
    }

    /** Requires that the query string can be parsed, see {@link #parse(String, Predicate)}. */
    public static void requirePlain(@Nullable String query) {
        if (query != null && !PercentEncoding.isPlain(query, 0, query.length())) {
            parse(query, name -> false);
        }
    }
}
