package dev.offsetd.server.operations.telemetry;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.web.TokenShape;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.apache.catalina.AccessLog;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.AbstractProtocol;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.SpanExporters;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@Configuration(proxyBeanMethods = false)
class TelemetryConfiguration implements WebMvcConfigurer {

    @Override
    public void addInterceptors(InterceptorRegistry interceptors) {
        interceptors.addInterceptor(new BuildIdInLogs());
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> requestMeters(
            MeterRegistry meters, TelemetryProperties properties) {
        AccessLogValve end =
                new AccessLogValve(new RequestMeter(meters), properties.accessLog() ? new RequestLog() : null);
        return tomcat -> {
            tomcat.addEngineValves(end);
            tomcat.addConnectorCustomizers(connector -> {
                if (connector.getProtocolHandler() instanceof AbstractProtocol<?> protocol) {
                    Gauge.builder("tomcat.connections.current", protocol, AbstractProtocol::getConnectionCount)
                            .description("Open connections of callers")
                            .register(meters);
                }
            });
        };
    }

    /** Removes what clients must not see from labels: the path of the data folder, and tokens. */
    @Bean
    MeterFilter metersWithoutSecrets() {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                return id.getName().startsWith("disk.")
                        ? id.replaceTags(Tags.empty())
                        : id.replaceTags(id.getTags().stream()
                                .map(tag -> Tag.of(tag.getKey(), TokenShape.redact(tag.getValue())))
                                .toList());
            }
        };
    }

    /** Only created if traces are exported. */
    @Bean
    @Lazy
    SpanExporters spanExporters(ObjectProvider<SpanExporter> exporters) {
        return SpanExporters.of(
                exporters.orderedStream().map(RedactedSpans::new).toList());
    }

    /** Access log of Tomcat: records every request when its response is complete, including requests that Tomcat rejected. */
    private static final class AccessLogValve extends ValveBase implements AccessLog {

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
                throw new UnsupportedOperationException(
                        "the client's address is always the one behind trusted proxies");
            }
        }

        @Override
        public boolean getRequestAttributesEnabled() {
            return true;
        }
    }

    /** Adds the build-id in the path to the log lines of the request, if it is valid. */
    private static final class BuildIdInLogs implements HandlerInterceptor {

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
}
