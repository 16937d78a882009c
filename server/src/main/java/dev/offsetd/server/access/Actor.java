package dev.offsetd.server.access;

import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.http.HttpServletRequest;

/**
 * The caller who changes something, and the cause, as the audit log records them.
 *
 * @param cause id of the request, or a name for another cause
 */
public record Actor(Caller caller, String cause) {

    /** Returns the caller of a request, which is the cause. */
    public static Actor of(HttpServletRequest request) {
        return new Actor(Caller.of(request), RequestIds.of(request));
    }

    /** Returns the operator, who works on the database itself. */
    public static Actor operator(String cause) {
        return new Actor(Caller.operator(), cause);
    }

    public String name() {
        return caller.name();
    }
}
