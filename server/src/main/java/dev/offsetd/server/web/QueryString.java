package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.util.ArrayList;
import java.util.List;
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

    private static boolean escapesPlus(String query, int from, int end) {
        return query.indexOf("%2B", from, end) >= 0 || query.indexOf("%2b", from, end) >= 0;
    }

    /**
     * Requires that the query string can be parsed.
     *
     * @throws ProblemException as {@link #parse}
     */
    public static void requirePlain(@Nullable String query) {
        if (query != null && !PercentEncoding.isPlain(query, 0, query.length())) {
            parse(query, name -> false);
        }
    }
}
