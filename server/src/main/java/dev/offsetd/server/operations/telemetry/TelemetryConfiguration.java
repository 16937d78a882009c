package dev.offsetd.server.operations.telemetry;

import dev.offsetd.server.web.TokenShape;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import org.apache.coyote.AbstractProtocol;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.SpanExporters;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
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
}
