package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.ApiAuthenticator;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.servlet.FilterRegistration;
import org.springframework.core.Ordered;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Serves cached answers before Spring handles the request. Most answers are cached, and the rest of the filter chain
 * costs several times as much as the lookup. Requests in an unusual notation, and all that cannot or must not be
 * answered from the cache, continue down the chain.
 */
@Component
@FilterRegistration(
        urlPatterns = "/v1/offsets/*",
        dispatcherTypes = DispatcherType.REQUEST,
        order = Ordered.HIGHEST_PRECEDENCE + 1)
final class AnswerCacheFilter implements Filter {

    private static final String PREFIX = "/v1/offsets/";

    private final AnswerCache cache;
    private final ApiAuthenticator authenticator;

    AnswerCacheFilter(AnswerCache cache, ApiAuthenticator authenticator) {
        this.cache = cache;
        this.authenticator = authenticator;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest httpRequest
                && response instanceof HttpServletResponse httpResponse
                && answersFromCache(httpRequest, httpResponse)) {
            return;
        }
        chain.doFilter(request, response);
    }

    /** Sends the cached answer. Returns false if there is none, or the client may not read it. */
    private boolean answersFromCache(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Answer answer = cached(request);
        if (answer == null || !authenticator.mayRead(request)) {
            return false;
        }
        request.setAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE, OffsetsController.PATH);
        cache.countFromMemory();
        write(answer.response(request), request, response);
        return true;
    }

    private static void write(
            ResponseEntity<SpooledBody> answer, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setStatus(answer.getStatusCode().value());
        answer.getHeaders().forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
        SpooledBody body = answer.getBody();
        if (body != null) {
            response.setContentLengthLong(body.length());
            if (!HttpMethod.HEAD.matches(request.getMethod())) {
                body.writeTo(response.getOutputStream());
            }
        }
    }

    private @Nullable Answer cached(HttpServletRequest request) {
        String method = request.getMethod();
        String path = request.getRequestURI();
        if (!(HttpMethod.GET.matches(method) || HttpMethod.HEAD.matches(method)) || !path.startsWith(PREFIX)) {
            return null;
        }
        try {
            BuildId id = BuildId.parse(path.substring(PREFIX.length()));
            OffsetsQuery query = OffsetsQuery.of(request);
            ContentCoding coding = ContentCoding.of(request, ContentCoding.COMMON);
            return cache.find(id, query.exact(), coding).orElse(null);
        } catch (IllegalArgumentException | ProblemException e) {
            // The controller resolves keys of other kinds, and answers all else with 400, 406 or 503.
            return null;
        }
    }
}
