package dev.offsetd.server.access;

import dev.offsetd.server.access.Route.Role;
import dev.offsetd.server.access.TokenCheck.Verdict;
import dev.offsetd.server.web.ProblemResponse;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Makes every request known by its caller. A token that is not accepted ends it, also where none is needed: whoever
 * sends one wants to hear that it is no good.
 */
final class BearerTokenFilter extends OncePerRequestFilter {

    /** Request attribute with the token of the request, if it has one. */
    static final String TOKEN = Token.class.getName();

    private final TokenCheck tokens;
    private final RateLimits limits;

    BearerTokenFilter(TokenCheck tokens, RateLimits limits) {
        this.tokens = tokens;
        this.limits = limits;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String address = ClientAddress.of(request);
        switch (tokens.check(Collections.list(request.getHeaders(HttpHeaders.AUTHORIZATION)), address)) {
            case Verdict.Passed(Caller caller, Token token) -> {
                Optional<Duration> wait = isForAnybody(request) ? Optional.empty() : limits.take(caller);
                if (wait.isPresent()) {
                    ProblemResponse.write(Refusals.tooMany(wait.get()), request, response);
                    return;
                }
                callOn(request, caller);
                request.setAttribute(TOKEN, token);
                chain.doFilter(request, response);
            }
            case Verdict.Refused(TokenCheck.Refusal reason) ->
                ProblemResponse.write(Refusals.badToken(reason), request, response);
            case Verdict.Undecided() -> ProblemResponse.write(Refusals.tokenCannotBeChecked(), request, response);
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
