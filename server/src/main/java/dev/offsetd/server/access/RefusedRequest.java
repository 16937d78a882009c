package dev.offsetd.server.access;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.StatusProblems;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatus;

/** A request of a page that the filters let no further. Filters show no pages: it is passed on to where those are made. */
public final class RefusedRequest {

    /** Where to; reached by no other way than this. */
    public static final String PATH = "/admin/refused";

    private static final String CAUSE = RefusedRequest.class.getName();

    private RefusedRequest() {}

    /** Why this request was refused. */
    public static Exception causeOf(HttpServletRequest request) {
        return request.getAttribute(CAUSE) instanceof Exception cause
                ? cause
                : new ProblemException(StatusProblems.of(
                        HttpStatus.NOT_FOUND, "there is no page " + HostileText.quote(request.getRequestURI())));
    }

    /** Has the cause shown as a page. */
    static void show(Exception cause, HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        request.setAttribute(CAUSE, cause);
        request.getRequestDispatcher(PATH).forward(request, response);
    }
}
