package dev.offsetd.server.admin.shell;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.util.UUID;

/**
 * Forms whose response shows a secret. They cannot redirect, because the secret would have to wait in the session. Each
 * form has a single-use value instead, so that reloading the response does not make the change again.
 */
public final class SingleUse {

    private static final String FIELD = "once";
    private static final String LATEST = SingleUse.class.getName();

    private SingleUse() {}

    /** Returns the value of a new form. */
    static String value() {
        return UUID.randomUUID().toString();
    }

    /** Returns whether this form was the latest that its session has submitted, and remembers it. */
    public static boolean isRepeated(HttpServletRequest request) {
        String value = request.getParameter(FIELD);
        HttpSession session = request.getSession();
        if (value == null || session == null) {
            return false;
        }
        if (value.equals(session.getAttribute(LATEST))) {
            return true;
        }
        session.setAttribute(LATEST, value);
        return false;
    }
}
