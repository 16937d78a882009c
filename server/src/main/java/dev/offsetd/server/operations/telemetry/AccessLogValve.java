package dev.offsetd.server.operations.telemetry;

import jakarta.servlet.ServletException;
import java.io.IOException;
import org.apache.catalina.AccessLog;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.HandlerMapping;

/** Access log of Tomcat: records every request when its response is complete, including requests that Tomcat rejected. */
final class AccessLogValve extends ValveBase implements AccessLog {

    private final RequestMeter meter;
    private final @Nullable RequestLog log;

    /** @param log null if requests are not logged */
    AccessLogValve(RequestMeter meter, @Nullable RequestLog log) {
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
        if (log != null) {
            log.write(request, response, nanos);
        }
    }

    /** Rejects disabling: the client address is always the one determined behind trusted proxies. */
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
