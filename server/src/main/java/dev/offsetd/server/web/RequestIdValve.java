package dev.offsetd.server.web;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.slf4j.MDC;

/** Sets the id of the request on the response and in the logging context, for all that handles the request later. */
final class RequestIdValve extends ValveBase {

    RequestIdValve() {
        super(true);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        String id = RequestIds.of(request);
        response.setHeader(RequestIds.HEADER, id);
        MDC.put(RequestIds.MDC_KEY, id);
        try {
            getNext().invoke(request, response);
        } finally {
            MDC.remove(RequestIds.MDC_KEY);
        }
    }
}
