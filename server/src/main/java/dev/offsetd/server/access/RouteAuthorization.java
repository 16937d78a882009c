package dev.offsetd.server.access;

import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;

/** Holds every request against the table of routes, and tells those that may not pass why. */
final class RouteAuthorization implements AuthorizationManager<RequestAuthorizationContext>, AccessDeniedHandler {

    @Override
    public AuthorizationDecision authorize(
            Supplier<? extends @Nullable Authentication> authentication, RequestAuthorizationContext context) {
        return new AuthorizationDecision(
                refusal(context.getRequest(), Caller.of(context.getRequest())).isEmpty());
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException denied)
            throws IOException {
        // Whatever else denies a request that the table allows has no better words for it than these.
        Problem problem =
                refusal(request, Caller.of(request)).orElseGet(() -> Refusals.noRoute(request.getRequestURI()));
        ProblemResponse.write(problem, request, response);
    }

    /** Why this caller may not send this request; empty if it may. */
    private Optional<Problem> refusal(HttpServletRequest request, Caller caller) {
        Optional<Route> route = Routes.of(request);
        if (route.isEmpty()) {
            List<Route> others = Routes.at(request);
            return Optional.of(
                    others.isEmpty()
                            ? Refusals.noRoute(request.getRequestURI())
                            : Refusals.otherMethods(request.getMethod(), others));
        }
        Optional<Scope> required = route.get().role().required();
        return required.filter(scope -> !caller.scopes().contains(scope))
                .map(scope -> caller.token() == null ? Refusals.noToken(scope) : Refusals.lackingScope(scope));
    }
}
