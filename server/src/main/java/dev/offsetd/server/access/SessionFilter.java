package dev.offsetd.server.access;

import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.springframework.dao.DataAccessException;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.TransactionException;
import org.springframework.web.filter.OncePerRequestFilter;

/** Makes every request of a page known by the user who is signed in. Tokens are not looked at here. */
final class SessionFilter extends OncePerRequestFilter {

    private static final String ANSWERED = SessionFilter.class.getName() + ".answered";

    private final UserSessions sessions;
    private final RateLimits limits;

    SessionFilter(UserSessions sessions, RateLimits limits) {
        this.sessions = sessions;
        this.limits = limits;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        String address = ClientAddress.of(request);
        Caller nobody = new Caller(Caller.ANONYMOUS, null, Set.of(), address);
        // Before the database is asked: a made-up session id costs no more than any other request.
        Optional<Duration> tooMany = limits.take(nobody);
        if (tooMany.isPresent()) {
            RefusedRequest.show(new ProblemException(Refusals.tooMany(tooMany.get())), request, response);
            return;
        }
        Optional<User> user;
        try {
            user = Routes.isAsset(request) ? Optional.empty() : sessions.admit(request);
        } catch (DataAccessException | TransactionException e) {
            RefusedRequest.show(e, request, response);
            return;
        }
        Caller caller = user.map(
                        known -> new Caller(known.name(), null, known.role().included(), address))
                .orElse(nobody);
        caller.callOn(request);
        SecurityContext context = SecurityContextHolder.createEmptyContext();
        context.setAuthentication(new CallerAuthentication(caller));
        SecurityContextHolder.setContext(context);
        chain.doFilter(request, response);
        request.setAttribute(ANSWERED, true);
    }

    /** Returns whether the rest of the chain has answered this request without an exception. */
    static boolean hasAnswered(HttpServletRequest request) {
        return request.getAttribute(ANSWERED) != null;
    }
}
