package dev.offsetd.server.access;

import com.google.re2j.Pattern;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Keeps answers out of shared caches if reading needs a token. It rewrites the controllers' {@code Cache-Control}, so that no
 * controller can forget it.
 */
final class PrivateAnswersFilter extends OncePerRequestFilter {

    static final String VARY = HttpHeaders.AUTHORIZATION;

    private static final Pattern PUBLIC = Pattern.compile("\\bpublic\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern CLOSED = Pattern.compile("\\b(private|no-store)\\b", Pattern.CASE_INSENSITIVE);

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        response.addHeader(HttpHeaders.VARY, VARY);
        chain.doFilter(request, new PrivateAnswer(response));
    }

    /** Returns the value of {@code Cache-Control} without permission for shared caches. */
    static String closed(String value) {
        String without = PUBLIC.matcher(value).replaceAll("private");
        return CLOSED.matcher(without).find() ? without : "private, " + without;
    }

    private static final class PrivateAnswer extends HttpServletResponseWrapper {

        PrivateAnswer(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void setHeader(String name, @Nullable String value) {
            super.setHeader(name, closed(name, value));
        }

        @Override
        public void addHeader(String name, @Nullable String value) {
            super.addHeader(name, closed(name, value));
        }

        private static @Nullable String closed(String name, @Nullable String value) {
            return value == null || !name.equalsIgnoreCase(HttpHeaders.CACHE_CONTROL)
                    ? value
                    : PrivateAnswersFilter.closed(value);
        }
    }
}
