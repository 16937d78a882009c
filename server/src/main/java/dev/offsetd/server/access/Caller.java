package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whoever sent a request, or typed a command.
 *
 * @param name label of the token, name of a user who is signed in, {@value #ANONYMOUS} for everybody else, or
 *     {@value #OPERATOR}
 * @param token id of the token, or null without one
 * @param scopes all that the caller may do
 * @param address IP address of the client, as the configured proxies tell it; of an operator {@code local}
 */
public record Caller(String name, @Nullable UUID token, Set<Scope> scopes, String address) {

    /** Name of a caller without a token. */
    public static final String ANONYMOUS = "anonymous";

    /** Name of whoever can read the server's data folder or knows its database's password. */
    public static final String OPERATOR = "operator";

    private static final String ATTRIBUTE = Caller.class.getName();

    public Caller {
        scopes = Set.copyOf(scopes);
    }

    /** The operator, who works on the database itself. */
    public static Caller operator() {
        return new Caller(OPERATOR, null, Scope.ADMIN.included(), "local");
    }

    /** The caller of this request; one who may do nothing, if nobody has looked at its token. */
    public static Caller of(HttpServletRequest request) {
        return request.getAttribute(ATTRIBUTE) instanceof Caller caller
                ? caller
                : new Caller(ANONYMOUS, null, Set.of(), request.getRemoteAddr());
    }

    /** Makes this the caller of a request. */
    void callOn(HttpServletRequest request) {
        request.setAttribute(ATTRIBUTE, this);
    }
}
