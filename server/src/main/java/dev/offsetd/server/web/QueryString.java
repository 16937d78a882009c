package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Splits and decodes a query string (RFC 3986 §3.4, with {@code name=value} joined by {@code &}). Done here and not by
 * the servlet container, because that reads every {@code +} as a space and replaces what it cannot decode.
 */
public final class QueryString {

    private QueryString() {}

    /** One {@code name=value}, decoded; a name alone has an empty value. */
    public record Parameter(String name, String value) {}

    /**
     * The parameters in order, read in time linear in their length.
     *
     * @param query without the question mark, as it came: each {@code char} is one byte; null if there is none
     * @param plusIsSpace for which names a {@code +} in the value is a space
     * @throws ProblemException if an escape is malformed, or what is escaped is not UTF-8 or no plain text: 400, with the
     *     place
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
                String value =
                        PercentEncoding.QUERY.decode(query, Math.min(nameEnd + 1, end), end, plusIsSpace.test(name));
                PlainText.require(value, () -> "parameter " + HostileText.quote(name));
                parameters.add(new Parameter(name, value));
            }
            start = end + 1;
        }
        return parameters;
    }

    /**
     * Requires that the parameters can be read, whatever they are.
     *
     * @throws ProblemException as {@link #parse}
     */
    public static void requirePlain(@Nullable String query) {
        if (query != null && !PercentEncoding.isPlain(query, 0, query.length())) {
            parse(query, name -> false);
        }
    }
}
