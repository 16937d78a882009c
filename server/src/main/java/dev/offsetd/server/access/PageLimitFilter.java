package dev.offsetd.server.access;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.PlainText;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.StatusProblems;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Counts requests for pages against the limit of their address, and refuses those with parameters that cannot be decoded or are
 * not {@linkplain PlainText plain}. It runs before their session is looked up, so that an invented session id costs no more than any
 * other request.
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
            answer(request, response, chain);
        }
        request.setAttribute(ANSWERED, true);
    }

    private static void answer(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        try {
            requirePlain(request);
        } catch (ProblemException e) {
            RefusedRequest.show(e, request, response);
            return;
        }
        chain.doFilter(request, response);
    }

    private static void requirePlain(HttpServletRequest request) {
        try {
            request.getParameterMap().forEach((name, values) -> {
                PlainText.require(name, () -> "the name of parameter " + HostileText.quote(name));
                for (String value : values) {
                    PlainText.require(value, () -> "parameter " + HostileText.quote(name));
                }
            });
        } catch (IllegalStateException e) {
            throw new ProblemException(StatusProblems.of(
                    HttpStatus.BAD_REQUEST,
                    "the query string or the form cannot be decoded, or is too large; expected percent-encoded UTF-8"));
        }
    }

    /** Returns whether the response of this request has been written to its end. */
    static boolean hasAnswered(HttpServletRequest request) {
        return request.getAttribute(ANSWERED) != null;
    }
}
