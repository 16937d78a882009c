package dev.offsetd.server.access;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.filter.OncePerRequestFilter;

/** Answers to requests with a {@link PathToken}: shared caches must not store them, and redirects keep the token. */
final class PathTokenFilter extends OncePerRequestFilter {

    @Override
    protected boolean shouldNotFilter(HttpServletRequest request) {
        return PathToken.before(request).isEmpty();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        chain.doFilter(request, new PathTokenAnswer(response, PathToken.before(request)));
    }

    private static final class PathTokenAnswer extends HttpServletResponseWrapper {

        private final String prefix;

        PathTokenAnswer(HttpServletResponse response, String prefix) {
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
                return PrivateAnswersFilter.closed(value);
            }
            return name.equalsIgnoreCase(HttpHeaders.LOCATION) && value.startsWith("/") && !value.startsWith("//")
                    ? prefix + value
                    : value;
        }
    }
}
