package dev.offsetd.server.access;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.StatusProblems;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.web.csrf.CsrfToken;

/** A page request that a filter refused. The filter forwards it to a controller, which renders the cause as a page. */
public final class RefusedRequest {

    /** Path of the controller; not served to clients. */
    public static final String PATH = "/admin/refused";

    private static final String CAUSE = RefusedRequest.class.getName();

    private RefusedRequest() {}

    public static Exception causeOf(HttpServletRequest request) {
        return request.getAttribute(CAUSE) instanceof Exception cause
                ? cause
                : new ProblemException(StatusProblems.of(
                        HttpStatus.NOT_FOUND, "there is no page " + HostileText.quote(request.getRequestURI())));
    }

    /** Renders the cause as a page that looks no session up: without the user's menu, and without tokens for forms. */
    static void showWithoutSession(Exception cause, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        SecurityContextHolder.clearContext();
        request.removeAttribute(CsrfToken.class.getName());
        show(cause, request, response);
    }

    static void show(Exception cause, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.setAttribute(CAUSE, cause);
        request.getRequestDispatcher(PATH).forward(request, response);
    }
}
