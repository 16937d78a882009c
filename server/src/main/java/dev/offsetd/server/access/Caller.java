package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * The sender of a request, or the operator who runs a command.
 *
 * @param name label of the token, name of the signed-in user, {@value #OPERATOR}, or {@value #ANONYMOUS} for everyone else
 * @param token id of the token, or null without one
 * @param scopes everything the caller may do
 * @param address IP address of the client as forwarded by trusted proxies; {@code local} for the operator
 */
public record Caller(String name, @Nullable UUID token, Set<Scope> scopes, String address) {

    public static final String ANONYMOUS = "anonymous";

    /** Name of anyone who can read the server's data folder or knows the database password. */
    public static final String OPERATOR = "operator";

    public Caller {
        scopes = Set.copyOf(scopes);
    }

    /** Returns the operator, who works on the database itself. */
    public static Caller operator() {
        return new Caller(OPERATOR, null, Scope.ADMIN.included(), "local");
    }

    /** Returns the authenticated caller of the current request, or an anonymous one without scopes. */
    public static Caller of(HttpServletRequest request) {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        return authentication instanceof CallerAuthentication known ? known.getPrincipal() : anonymous(request);
    }

    static Caller anonymous(HttpServletRequest request) {
        return new Caller(ANONYMOUS, null, Set.of(), ClientAddress.of(request));
    }
}
