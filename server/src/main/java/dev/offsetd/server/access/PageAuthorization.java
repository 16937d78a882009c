package dev.offsetd.server.access;

import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.access.intercept.RequestAuthorizationContext;
import org.springframework.security.web.csrf.CsrfException;
import org.springframework.web.util.UriUtils;

/**
 * Holds every request of a page against the table. Whoever is not signed in is shown where to, whatever is asked for;
 * whoever has a one-time password, where to change it; all others who may not pass hear why.
 */
final class PageAuthorization implements AuthorizationManager<RequestAuthorizationContext>, AccessDeniedHandler {

    private static final String HTMX_REQUEST = "HX-Request";
    private static final String HTMX_REDIRECT = "HX-Redirect";

    /** What becomes of a request. */
    private sealed interface Decision {

        record Pass() implements Decision {}

        record GoTo(String path) implements Decision {}

        record Refuse(Problem problem) implements Decision {}
    }

    @Override
    public AuthorizationDecision authorize(
            Supplier<? extends @Nullable Authentication> authentication, RequestAuthorizationContext context) {
        return new AuthorizationDecision(decide(context.getRequest()) instanceof Decision.Pass);
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException denied)
            throws ServletException, IOException {
        switch (decide(request)) {
            case Decision.GoTo(String path) -> redirect(request, response, path);
            case Decision.Refuse(Problem problem) ->
                RefusedRequest.show(new ProblemException(problem), request, response);
            case Decision.Pass() ->
                RefusedRequest.show(
                        new ProblemException(
                                denied instanceof CsrfException
                                        ? Refusals.foreignForm()
                                        : Refusals.noRoute(request.getRequestURI())),
                        request,
                        response);
        }
    }

    private static Decision decide(HttpServletRequest request) {
        List<Route> at = Routes.pagesAt(request);
        Optional<Route> page =
                at.stream().filter(route -> route.takes(request.getMethod())).findFirst();
        Optional<Scope> required = page.flatMap(route -> route.role().required());
        if (page.isPresent() && required.isEmpty()) {
            return new Decision.Pass();
        }
        Optional<User> user = UserSessions.userOf(request);
        if (user.isEmpty()) {
            return new Decision.GoTo(signIn(request));
        }
        if (user.get().mustChangePassword() && !Routes.isOpenWithOneTimePassword(request)) {
            return new Decision.GoTo(Routes.PASSWORD_PATH);
        }
        if (page.isEmpty()) {
            return new Decision.Refuse(
                    at.isEmpty()
                            ? Refusals.noRoute(request.getRequestURI())
                            : Refusals.otherMethods(request.getMethod(), at));
        }
        return required.filter(scope -> !user.get().role().included().contains(scope))
                .<Decision>map(scope -> new Decision.Refuse(Refusals.lackingRole(scope)))
                .orElseGet(Decision.Pass::new);
    }

    /** The sign-in page, which leads back to what was asked for, if that can be asked for again. */
    private static String signIn(HttpServletRequest request) {
        String asked = request.getQueryString() == null
                ? request.getRequestURI()
                : request.getRequestURI() + '?' + request.getQueryString();
        return !HttpMethod.GET.matches(request.getMethod())
                        || request.getHeader(HTMX_REQUEST) != null
                        || asked.equals(Routes.PAGES_PATH)
                ? Routes.SIGN_IN_PATH
                : Routes.SIGN_IN_PATH + "?next=" + UriUtils.encode(asked, StandardCharsets.UTF_8);
    }

    private static void redirect(HttpServletRequest request, HttpServletResponse response, String path) {
        if (request.getHeader(HTMX_REQUEST) != null) {
            // A redirect would be followed by the script, and the page put into the middle of another.
            response.setStatus(HttpStatus.UNAUTHORIZED.value());
            response.setHeader(HTMX_REDIRECT, path);
            return;
        }
        response.setStatus(HttpStatus.SEE_OTHER.value());
        response.setHeader(HttpHeaders.LOCATION, path);
    }
}
