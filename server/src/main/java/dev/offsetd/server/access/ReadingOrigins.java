package dev.offsetd.server.access;

import dev.offsetd.server.access.Route.Role;
import dev.offsetd.server.web.ProblemBody;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpRequest;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.filter.CorsFilter;

/**
 * Lets scripts of configured sites read: the routes that need no more than the scope {@code read}. Cookies are never sent
 * along. Other requests are answered as without CORS, and the browser withholds the answer.
 */
final class ReadingOrigins implements CorsConfigurationSource {

    private static final Duration PREFLIGHT_MAX_AGE = Duration.ofHours(1);

    private final List<String> origins;

    private ReadingOrigins(List<String> origins) {
        this.origins = origins;
    }

    /** Returns a filter that answers preflight requests and adds the headers to answers, those from caches included. */
    static CorsFilter filter(List<String> origins) {
        CorsFilter filter = new CorsFilter(new ReadingOrigins(origins));
        filter.setCorsProcessor(new Processor());
        return filter;
    }

    /** Refuses preflight requests only. */
    private static final class Processor extends DefaultCorsProcessor {

        @Override
        protected void rejectRequest(ServerHttpResponse response) {
            // The method below answers.
        }

        @Override
        protected boolean handleInternal(
                ServerHttpRequest request, ServerHttpResponse response, CorsConfiguration rules, boolean preFlight)
                throws IOException {
            if (super.handleInternal(request, response, rules, preFlight) || !preFlight) {
                return true;
            }
            ProblemBody.write(
                    Refusals.foreignScript(),
                    ((ServletServerHttpRequest) request).getServletRequest(),
                    ((ServletServerHttpResponse) response).getServletResponse());
            return false;
        }
    }

    @Override
    public CorsConfiguration getCorsConfiguration(HttpServletRequest request) {
        List<HttpMethod> methods = request.getHeader(HttpHeaders.ORIGIN) == null ? List.of() : readable(request);
        CorsConfiguration rules = new CorsConfiguration();
        // Without methods, Spring would allow GET.
        rules.setAllowedOrigins(methods.isEmpty() ? List.of() : origins);
        rules.setAllowedMethods(methods.stream().map(HttpMethod::name).toList());
        if (methods.contains(HttpMethod.GET)) {
            rules.addAllowedMethod(HttpMethod.HEAD);
        }
        rules.setAllowedHeaders(List.of(
                HttpHeaders.ACCEPT,
                HttpHeaders.AUTHORIZATION,
                HttpHeaders.CONTENT_TYPE,
                HttpHeaders.IF_NONE_MATCH,
                "Prefer",
                // The Firefox Profiler sends it. Firefox asks for permission, Chromium drops it.
                HttpHeaders.USER_AGENT,
                "X-Request-ID"));
        rules.setExposedHeaders(List.of(HttpHeaders.ETAG, HttpHeaders.RETRY_AFTER, "X-Request-ID"));
        rules.setMaxAge(PREFLIGHT_MAX_AGE);
        return rules;
    }

    private static List<HttpMethod> readable(HttpServletRequest request) {
        return Routes.at(Routes.API, request).stream()
                .filter(route -> route.role() == Role.READER || route.role() == Role.ANYBODY)
                .map(Route::method)
                .toList();
    }
}
