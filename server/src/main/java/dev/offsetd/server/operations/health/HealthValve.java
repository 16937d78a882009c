package dev.offsetd.server.operations.health;

import dev.offsetd.server.web.RequestIds;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.HandlerMapping;

/**
 * Answers health checks before Spring sees them, from preallocated bytes and without the database. Requests with a
 * token, and checks of a server that does not accept requests, continue to Spring.
 */
final class HealthValve extends ValveBase {

    static final String LIVENESS = "/livez";
    static final String READINESS = "/readyz";
    static final List<String> PATHS = List.of(LIVENESS, READINESS);

    private final Readiness readiness;

    HealthValve(Readiness readiness) {
        super(true);
        this.readiness = readiness;
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        boolean head = "HEAD".equals(request.getMethod());
        // Tomcat hands on a request that it cannot parse with the status already set, and possibly without a method.
        boolean sound = response.getStatus() == HttpServletResponse.SC_OK;
        byte[] body = sound && (head || "GET".equals(request.getMethod())) ? body(request) : null;
        if (body == null) {
            getNext().invoke(request, response);
            return;
        }
        // Route label of the request metrics.
        request.setAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE, request.getRequestURI());
        response.setHeader(RequestIds.HEADER, RequestIds.of(request));
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        response.setHeader("X-Content-Type-Options", "nosniff");
        if (WatchedHttpProtocol.isHealthThread()) {
            // The next request on this connection might not be a health check.
            response.setHeader(HttpHeaders.CONNECTION, "close");
        }
        response.setContentType(MediaType.APPLICATION_JSON_VALUE);
        response.setContentLength(body.length);
        if (!head) {
            response.getOutputStream().write(body);
        }
    }

    private byte @Nullable [] body(Request request) {
        if (request.getHeader(HttpHeaders.AUTHORIZATION) != null) {
            return null;
        }
        return switch (request.getRequestURI()) {
            case LIVENESS -> Readiness.UP;
            case READINESS -> readiness.isAccepting() ? readiness.body() : null;
            case null, default -> null;
        };
    }
}
