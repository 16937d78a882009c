package dev.offsetd.server.asking;

import dev.offsetd.extractor.input.HostileText;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Splits and decodes a query string (RFC 3986 §3.4, with {@code name=value} joined by {@code &}). Done here and not by
 * the servlet container, because that reads every {@code +} as a space and replaces what it cannot decode.
 */
final class QueryString {

    private QueryString() {}

    /** One {@code name=value}, decoded; a name alone has an empty value. */
    record Parameter(String name, String value) {}

    /**
     * The parameters in order.
     *
     * @param query without the question mark, as it came: each {@code char} is one byte; null if there is none
     * @param plusIsSpace for which names a {@code +} in the value is a space
     * @throws MalformedQueryException if an escape is none, or what is escaped is not UTF-8
     */
    static List<Parameter> parse(@Nullable String query, Predicate<String> plusIsSpace) {
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
                int equals = query.indexOf('=', start);
                int nameEnd = equals < 0 || equals > end ? end : equals;
                String name = decode(query, start, nameEnd, false);
                String value = decode(query, Math.min(nameEnd + 1, end), end, plusIsSpace.test(name));
                parameters.add(new Parameter(name, value));
            }
            start = end + 1;
        }
        return parameters;
    }

    private static String decode(String query, int from, int to, boolean plusIsSpace) {
        if (isPlain(query, from, to)) {
            return query.substring(from, to);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(to - from);
        for (int i = from; i < to; i++) {
            char c = query.charAt(i);
            if (c == '%') {
                int high = i + 1 < to ? Character.digit(query.charAt(i + 1), 16) : -1;
                int low = i + 2 < to ? Character.digit(query.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw new MalformedQueryException("query string, character " + (i + 1) + ": "
                            + HostileText.quote(query.substring(i, Math.min(i + 3, to)))
                            + " is no escape; expected % and two hex digits");
                }
                bytes.write(high << 4 | low);
                i += 2;
            } else {
                bytes.write(plusIsSpace && c == '+' ? ' ' : c);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedQueryException("query string, characters " + (from + 1) + " to " + to
                    + ": the bytes are not UTF-8; expected percent-encoded UTF-8");
        }
    }

    /** Whether the text stands for itself; most questions do, and this is on the way of each. */
    private static boolean isPlain(String query, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = query.charAt(i);
            if (c == '%' || c == '+' || c >= 0x80) {
                return false;
            }
        }
        return true;
    }
}
