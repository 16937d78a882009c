package dev.offsetd.server.access;

import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Counts requests for pages against the limit of their address, and shows failures to look their session up. It runs before
 * the lookup, so that an invented session id costs no more than any other request.
 */
final class PageLimitFilter extends OncePerRequestFilter {

    private static final String ANSWERED = PageLimitFilter.class.getName() + ".answered";

    private final RateLimits limits;

    PageLimitFilter(RateLimits limits) {
        this.limits = limits;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        Optional<Duration> wait = limits.take(Caller.anonymous(request));
        if (wait.isPresent()) {
            RefusedRequest.showWithoutSession(new ProblemException(Refusals.tooMany(wait.get())), request, response);
        } else {
            try {
                chain.doFilter(request, response);
            } catch (DataAccessException | TransactionException e) {
                if (response.isCommitted()) {
                    throw e;
                }
                RefusedRequest.showWithoutSession(e, request, response);
            }
        }
        request.setAttribute(ANSWERED, true);
    }

    /** Returns whether the response of this request has been written to its end. */
    static boolean hasAnswered(HttpServletRequest request) {
        return request.getAttribute(ANSWERED) != null;
    }
}
