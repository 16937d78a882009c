package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Problems where Spring writes none: in a filter, and as a part of an answer. */
public final class ProblemResponse {

    private ProblemResponse() {}

    /**
     * A problem as JSON, which is a part of the answer to this request.
     *
     * @param instance path of what the problem is about
     */
    public static byte[] body(Problem problem, String instance, HttpServletRequest request) {
        return ProblemBody.of(problem, instance, RequestIds.of(request));
    }

    /** Writes the whole answer; nothing may have been written before. */
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
