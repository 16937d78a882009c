package dev.offsetd.server.telemetry;

import jakarta.servlet.ServletException;
import java.io.IOException;
import java.util.Optional;
import org.apache.catalina.AccessLog;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Hears of every request when its answer is complete, also of those that Tomcat itself turned away. Tomcat calls that an
 * access log.
 */
final class RequestEnd extends ValveBase implements AccessLog {

    private final RequestMeter meter;
    private final Optional<RequestLog> log;

    /** @param log empty if requests are not logged */
    RequestEnd(RequestMeter meter, Optional<RequestLog> log) {
        super(true);
        this.meter = meter;
        this.log = log;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        getNext().invoke(request, response);
    }

    /** @param nanos since the request began */
    @Override
    public void log(Request request, Response response, long nanos) {
        Object route = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        meter.record(request.getMethod(), route == null ? null : route.toString(), response.getStatus(), nanos);
        log.ifPresent(lines -> lines.write(request, response, nanos));
    }

    /** Whether the addresses that a proxy told are shown: they always are where they were put. */
    @Override
    public void setRequestAttributesEnabled(boolean enabled) {
        if (!enabled) {
            throw new UnsupportedOperationException("the client's address is always the one behind trusted proxies");
        }
    }

    @Override
    public boolean getRequestAttributesEnabled() {
        return true;
    }
}
