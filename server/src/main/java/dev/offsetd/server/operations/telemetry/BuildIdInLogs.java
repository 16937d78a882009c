package dev.offsetd.server.operations.telemetry;

import dev.offsetd.extractor.builds.BuildId;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;

/** Adds the build-id in the path to the log lines of the request, if it is valid. */
final class BuildIdInLogs implements HandlerInterceptor {

    private static final String PATH_VARIABLE = "buildId";

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        if (request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE) instanceof Map<?, ?> variables
                && variables.get(PATH_VARIABLE) instanceof String text) {
            try {
                MDC.put(WorkContext.BUILD_ID, BuildId.parseKey(text).toString());
            } catch (IllegalArgumentException e) {
                // The controller answers this with 400.
                MDC.remove(WorkContext.BUILD_ID);
            }
        }
        return true;
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception e) {
        MDC.remove(WorkContext.BUILD_ID);
    }
}
