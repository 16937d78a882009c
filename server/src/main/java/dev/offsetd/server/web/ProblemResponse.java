package dev.offsetd.server.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Answers a request with a problem where there is no controller: in a filter. */
public final class ProblemResponse {

    private ProblemResponse() {}

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
