package dev.offsetd.server.admin;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Forms whose response shows a secret. They cannot redirect, because the secret would have to wait in the session. Each
 * form has a single-use value instead, so that reloading the response does not make the change again.
 */
public final class SingleUse {

    private static final String FIELD = "once";
    private static final String LATEST = SingleUse.class.getName();

    /** Length of a UUID. */
    private static final int VALUE_LENGTH = 36;

    /** Submitted forms that a session remembers: those that its windows may show. */
    private static final int MAX_REMEMBERED = 20;

    private SingleUse() {}

    /** Returns the value of a new form. */
    static String value() {
        return UUID.randomUUID().toString();
    }

    /** Returns whether its session has submitted this form before, and remembers it. */
    public static boolean isRepeated(HttpServletRequest request) {
        String value = request.getParameter(FIELD);
        HttpSession session = request.getSession();
        if (value == null || session == null || value.length() != VALUE_LENGTH) {
            return false;
        }
        List<String> latest = session.getAttribute(LATEST) instanceof String values
                ? Arrays.asList(values.split(" ", MAX_REMEMBERED))
                : List.of();
        if (latest.contains(value)) {
            return true;
        }
        session.setAttribute(
                LATEST,
                Stream.concat(Stream.of(value), latest.stream().limit(MAX_REMEMBERED - 1L))
                        .collect(Collectors.joining(" ")));
        return false;
    }
}
