package dev.offsetd.server.access;

import dev.offsetd.server.access.Route.Role;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemResponse;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/** Makes every request known by its caller, and ends those that may not go on. */
final class BearerTokenFilter extends OncePerRequestFilter {

    /** Request attribute with the token of the request, if it has one. */
    static final String TOKEN = Token.class.getName();

    private final Admissions admissions;

    BearerTokenFilter(Admissions admissions) {
        this.admissions = admissions;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        switch (admissions.of(request, !isForAnybody(request))) {
            case Admission.Granted(Caller caller, Token token) -> {
                callOn(request, caller);
                request.setAttribute(TOKEN, token);
                chain.doFilter(request, response);
            }
            case Admission.Denied(Problem problem) -> ProblemResponse.write(problem, request, response);
        }
    }

    /** Probes of whoever runs the server are not counted: a busy server is not a broken one. */
    private static boolean isForAnybody(HttpServletRequest request) {
        return Routes.of(request).filter(route -> route.role() == Role.ANYBODY).isPresent();
    }

    private static void callOn(HttpServletRequest request, Caller caller) {
        caller.callOn(request);
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(new CallerAuthentication(caller));
        SecurityContextHolder.setContext(context);
    }
}
