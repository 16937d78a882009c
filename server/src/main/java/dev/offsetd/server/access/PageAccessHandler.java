package dev.offsetd.server.access;

import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.csrf.CsrfException;
import org.springframework.web.util.UriUtils;

/**
 * Answers requests for pages that are denied: leads anonymous users to the sign-in page and users with a one-time password to
 * the password page, and shows everyone else the reason.
 */
final class PageAccessHandler implements AuthenticationEntryPoint, AccessDeniedHandler {

    private static final String HTMX_REQUEST = "HX-Request";
    private static final String HTMX_REDIRECT = "HX-Redirect";

    @Override
    public void commence(
            HttpServletRequest request, HttpServletResponse response, @Nullable AuthenticationException e) {
        redirect(request, response, signIn(request));
    }

    @Override
    public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException denied)
            throws ServletException, IOException {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        if (denied instanceof CsrfException && (authentication != null || Routes.isSignIn(request))) {
            RefusedRequest.show(new ProblemException(Refusals.foreignForm()), request, response);
        } else if (!(authentication instanceof CallerAuthentication known)) {
            commence(request, response, null);
        } else if (UserSessions.mustChangePassword(known)) {
            redirect(request, response, Routes.PASSWORD_PATH);
        } else {
            RefusedRequest.show(
                    new ProblemException(RouteAuthorization.problemOf(denied)
                            .orElseGet(() -> Refusals.noRoute(request.getRequestURI()))),
                    request,
                    response);
        }
    }

    /** Returns the sign-in page, with the requested page as the one to return to if it can be requested again. */
    private static String signIn(HttpServletRequest request) {
        String requested = request.getQueryString() == null
                ? request.getRequestURI()
                : request.getRequestURI() + '?' + request.getQueryString();
        return !HttpMethod.GET.matches(request.getMethod())
                        || request.getHeader(HTMX_REQUEST) != null
                        || requested.equals(Routes.PAGES_PATH)
                ? Routes.SIGN_IN_PATH
                : Routes.SIGN_IN_PATH + "?next=" + UriUtils.encode(requested, StandardCharsets.UTF_8);
    }

    static void redirect(HttpServletRequest request, HttpServletResponse response, String path) {
        if (request.getHeader(HTMX_REQUEST) != null) {
            // htmx follows a redirect and inserts the page into the current one.
            response.setStatus(HttpStatus.UNAUTHORIZED.value());
            response.setHeader(HTMX_REDIRECT, path);
            return;
        }
        response.setStatus(HttpStatus.SEE_OTHER.value());
        response.setHeader(HttpHeaders.LOCATION, path);
    }
}
