package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Problems outside of Spring MVC: in filters, and as a part of a response. */
public final class ProblemResponse {

    private ProblemResponse() {}

    /**
     * Renders a problem as a part of a response.
     *
     * @param instance path of what the problem is about
     */
    public static byte[] body(Problem problem, String instance, HttpServletRequest request) {
        return ProblemBody.of(problem, instance, RequestIds.of(request));
    }

    /** Writes the response, which must not have been written to. */
    public static void write(Problem problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        byte[] body = ProblemBody.of(problem, request.getRequestURI(), RequestIds.of(request));
        response.setStatus(problem.status().value());
        problem.headers().forEach(response::setHeader);
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
