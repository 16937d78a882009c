package dev.offsetd.server.operations.telemetry;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.RequestIds;
import org.apache.catalina.AccessLog;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Access log: one line per request, with text from the client quoted. */
final class RequestLog {

    private static final Logger log = LoggerFactory.getLogger(RequestLog.class);
    private static final long NANOS_PER_MILLI = 1_000_000;

    void write(Request request, Response response, long nanos) {
        String id = RequestIds.of(request);
        // RequestIdValve has removed the id already.
        try (MDC.MDCCloseable _ = MDC.putCloseable(RequestIds.MDC_KEY, id)) {
            log.atInfo()
                    .addKeyValue("http.request.method", text(request.getMethod()))
                    .addKeyValue("url.original", target(request))
                    .addKeyValue("http.response.status_code", response.getStatus())
                    .addKeyValue("http.response.body.bytes", response.getContentWritten())
                    .addKeyValue("event.duration", nanos)
                    .addKeyValue("client.address", address(request))
                    .addKeyValue("user_agent.original", text(request.getHeader("User-Agent")))
                    .log(
                            "{} {} {} {} bytes in {} ms, from {}, agent {}",
                            HostileText.quote(text(request.getMethod())),
                            HostileText.quote(target(request)),
                            response.getStatus(),
                            response.getContentWritten(),
                            nanos / NANOS_PER_MILLI,
                            HostileText.quote(address(request)),
                            HostileText.quote(text(request.getHeader("User-Agent"))));
        }
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }

    /** Returns path and query string, undecoded. */
    private static String target(Request request) {
        String query = request.getQueryString();
        return text(request.getRequestURI()) + (query == null ? "" : "?" + query);
    }

    /** Returns the address of the client behind trusted proxies. */
    private static String address(Request request) {
        Object behindProxies = request.getAttribute(AccessLog.REMOTE_ADDR_ATTRIBUTE);
        return behindProxies == null ? text(request.getRemoteAddr()) : behindProxies.toString();
    }
}
