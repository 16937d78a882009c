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
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses page requests with parameters that cannot be decoded or are not {@linkplain PlainText plain}. */
final class PageTextFilter extends OncePerRequestFilter {

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
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
}
