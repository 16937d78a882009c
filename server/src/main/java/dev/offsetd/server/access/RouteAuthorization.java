package dev.offsetd.server.access;

import dev.offsetd.server.access.Route.Role;
import dev.offsetd.server.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationDeniedException;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.authorization.AuthorizationResult;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;

/** Authorizes requests by a table of routes. Requests that match no route are denied. */
final class RouteAuthorization implements AuthorizationManager<RequestAuthorizationContext> {

    private final List<Route> table;
    private final BiFunction<Caller, Scope, Problem> lacking;

    /** @param lacking the problem of a caller without the scope that a route requires */
    RouteAuthorization(List<Route> table, BiFunction<Caller, Scope, Problem> lacking) {
        this.table = table;
        this.lacking = lacking;
    }

    /** Reads the authentication only for routes that require a scope: for a page, it is a database query. */
    @Override
    public AuthorizationResult authorize(
            Supplier<? extends @Nullable Authentication> authentication, RequestAuthorizationContext context) {
        HttpServletRequest request = context.getRequest();
        List<Route> routes = Routes.at(table, request);
        Optional<Route> route = routes.stream()
                .filter(candidate -> candidate.takes(request.getMethod()))
                .findFirst();
        if (route.isEmpty()) {
            return new Denied(
                    routes.isEmpty()
                            ? Refusals.noRoute(request.getRequestURI())
                            : Refusals.otherMethods(request.getMethod(), routes));
        }
        Role role = route.get().role();
        if (role.required().isEmpty()) {
            return new AuthorizationDecision(true);
        }
        if (!(authentication.get() instanceof CallerAuthentication known)
                || (role != Role.SIGNED_IN && UserSessions.mustChangePassword(known))) {
            return new AuthorizationDecision(false);
        }
        Caller caller = known.getPrincipal();
        return role.isOf(caller)
                ? new AuthorizationDecision(true)
                : new Denied(lacking.apply(caller, role.required().orElseThrow()));
    }

    /** Returns the problem that explains why the table denied a request; empty if something else denied it. */
    static Optional<Problem> problemOf(AccessDeniedException denied) {
        return denied instanceof AuthorizationDeniedException byTable
                        && byTable.getAuthorizationResult() instanceof Denied result
                ? Optional.of(result.problem)
                : Optional.empty();
    }

    private static final class Denied extends AuthorizationDecision {

        private final transient Problem problem;

        Denied(Problem problem) {
            super(false);
            this.problem = problem;
        }
    }
}
