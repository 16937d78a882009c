package dev.offsetd.server.access;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Keeps answers out of shared caches if reading needs a token, or the URL has one. It rewrites {@code Cache-Control}, so that no
 * controller can forget it. Redirects keep the {@link PathToken} of the URL.
 */
final class PrivateAnswersFilter extends OncePerRequestFilter {

    private final boolean readAuth;

    PrivateAnswersFilter(boolean readAuth) {
        this.readAuth = readAuth;
    }

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return PathToken.before(request).isEmpty() && (!readAuth || Routes.isPage(request.getRequestURI()));
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (readAuth) {
            response.addHeader(HttpHeaders.VARY, HttpHeaders.AUTHORIZATION);
        }
        chain.doFilter(request, new PrivateAnswer(response, PathToken.before(request)));
    }

    /** Returns the value of {@code Cache-Control} without permission for shared caches. */
    private static String closed(String value) {
        // Plain search: the values are this server's, and one is changed with every cached answer.
        String without = value.toLowerCase(Locale.ROOT).replace("public", "private");
        return without.contains("private") || without.contains("no-store") ? without : "private, " + without;
    }

    private static final class PrivateAnswer extends HttpServletResponseWrapper {

        private final String prefix;

        PrivateAnswer(HttpServletResponse response, String prefix) {
            super(response);
            this.prefix = prefix;
        }

        @Override
        public void setHeader(String name, @Nullable String value) {
            super.setHeader(name, changed(name, value));
        }

        @Override
        public void addHeader(String name, @Nullable String value) {
            super.addHeader(name, changed(name, value));
        }

        private @Nullable String changed(String name, @Nullable String value) {
            if (value == null) {
                return null;
            }
            if (name.equalsIgnoreCase(HttpHeaders.CACHE_CONTROL)) {
                return closed(value);
            }
            return name.equalsIgnoreCase(HttpHeaders.LOCATION) && value.startsWith("/") && !value.startsWith("//")
                    ? prefix + value
                    : value;
        }
    }
}
