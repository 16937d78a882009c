package dev.offsetd.server.access;

import dev.offsetd.server.database.Causes;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Answers 503 if the session of a page cannot be looked up or saved. Spring Session saves when the response is committed, also that of an
 * error page, so this filter runs outside of Spring Session's. It saves once more at the end of the request: if only that
 * fails, the whole page has been sent, and breaking the connection would truncate it.
 */
final class UnwrittenSessionFilter extends OncePerRequestFilter {

    private static final Logger log = LoggerFactory.getLogger(UnwrittenSessionFilter.class);

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            chain.doFilter(request, response);
        } catch (ServletException | IOException | RuntimeException e) {
            Exception cause = ofDatabase(e);
            if (cause != null && response.isCommitted() && PageLimitFilter.hasAnswered(request)) {
                log.warn("cannot save the session at the end of a request: {}", cause.getMessage());
                return;
            }
            if (cause == null || response.isCommitted()) {
                throw e;
            }
            response.reset();
            RefusedRequest.showWithoutSession(cause, request, response);
        }
    }

    private static @Nullable Exception ofDatabase(Exception e) {
        for (Throwable cause : Causes.of(e)) {
            if (cause instanceof DataAccessException || cause instanceof TransactionException) {
                return (Exception) cause;
            }
        }
        return null;
    }
}
