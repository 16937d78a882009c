package dev.offsetd.server.web;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Renders errors of Tomcat itself, such as a malformed request line, which never reach Spring. Public because Tomcat
 * creates it by class name.
 */
public final class ProblemReportValve extends ErrorReportValve {

    @Override
    protected void report(Request request, Response response, @Nullable Throwable thrown) {
        HttpStatus status = HttpStatus.resolve(response.getStatus());
        if (status == null || !status.isError() || response.getContentWritten() > 0 || !response.setErrorReported()) {
            return;
        }
        try {
            response.setHeader(RequestIds.HEADER, RequestIds.of(request));
            ProblemBody.write(StatusProblems.of(status, null), request, response);
            response.finishResponse();
        } catch (IOException | IllegalStateException e) {
            // The client disconnected, or the response is committed.
            containerLog.debug("error answer not written", e);
        }
    }
}
