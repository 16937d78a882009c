package dev.offsetd.server.access;

import dev.offsetd.server.web.Causes;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Answers a page whose session cannot be written as any other failure of the database. The session is written as the
 * response is committed, by an error page's too: no controller's error handling can answer, so this filter is outside of it.
 */
final class UnwrittenSessionFilter extends OncePerRequestFilter {

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            chain.doFilter(request, response);
        } catch (ServletException | IOException | RuntimeException e) {
            Exception cause = ofDatabase(e);
            if (cause == null || response.isCommitted()) {
                throw e;
            }
            response.reset();
            RefusedRequest.show(cause, request, response);
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
