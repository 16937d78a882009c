package dev.offsetd.server.web;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Tomcat's own errors (an unreadable request line, a bad escape in the path, headers that are too large) as problems;
 * they never reach Spring. Public with a public constructor, because Tomcat makes it by its name.
 */
public final class ProblemReportValve extends ErrorReportValve {

    @Override
    protected void report(Request request, Response response, @Nullable Throwable thrown) {
        HttpStatus status = HttpStatus.resolve(response.getStatus());
        if (status == null || !status.isError() || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        Problem problem = StatusProblems.of(status, null);
        byte[] body = ProblemBody.of(problem, request.getRequestURI(), RequestIds.of(request));
        try {
            response.setHeader(RequestIds.HEADER, RequestIds.of(request));
            problem.headers().forEach(response::setHeader);
            response.setContentType(Problem.MEDIA_TYPE);
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
            response.finishResponse();
        } catch (IOException | IllegalStateException e) {
            // The connection is gone, or the answer is on its way already: nobody is left to tell.
            containerLog.debug("error answer not written", e);
        }
    }
}
