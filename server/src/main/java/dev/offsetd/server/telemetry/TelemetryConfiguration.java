package dev.offsetd.server.telemetry;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import java.util.Optional;
import org.apache.coyote.AbstractProtocol;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(TelemetryProperties.class)
class TelemetryConfiguration implements WebMvcConfigurer {

    @Override
    public void addInterceptors(InterceptorRegistry interceptors) {
        interceptors.addInterceptor(new BuildIdInLogs());
    }

    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> requestMeters(
            MeterRegistry meters, TelemetryProperties properties) {
        RequestEnd end = new RequestEnd(
                new RequestMeter(meters), properties.accessLog() ? Optional.of(new RequestLog()) : Optional.empty());
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

    /** Removes the label with the path of the data folder, which clients must not see. */
    @Bean
    MeterFilter diskMetersWithoutPath() {
        return new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                return id.getName().startsWith("disk.") ? id.replaceTags(Tags.empty()) : id;
            }
        };
    }
}
