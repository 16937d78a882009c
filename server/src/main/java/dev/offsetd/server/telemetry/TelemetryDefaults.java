package dev.offsetd.server.telemetry;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.util.StringUtils;

/**
 * Settles what follows from other settings: what is exported follows from the addresses that are configured, and a port of
 * its own for metrics is on the server's own address. Whatever is set by hand wins. Public for Spring, which makes it by
 * its name.
 */
public final class TelemetryDefaults implements EnvironmentPostProcessor, Ordered {

    /** Where traces go; the second and third are OpenTelemetry's own names, which Spring Boot translates after this. */
    private static final List<String> TRACES_TO = List.of(
            "management.opentelemetry.tracing.export.otlp.endpoint",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "OTEL_EXPORTER_OTLP_ENDPOINT");

    private static final List<String> METRICS_TO = List.of(
            "management.otlp.metrics.export.url", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT");

    /** What makes spans and carries them about; it takes time at the start, and at every request. */
    private static final String TRACING = String.join(
            ",",
            "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.otlp.OtlpExemplarsAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.autoconfigure.prometheus.PrometheusExemplarsAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.OpenTelemetryTracingAutoConfiguration",
            "org.springframework.boot.micrometer.tracing.opentelemetry.autoconfigure.otlp.OtlpTracingAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.logging.OpenTelemetryLoggingAutoConfiguration",
            "org.springframework.boot.opentelemetry.autoconfigure.logging.otlp.OtlpLoggingAutoConfiguration");

    /** After the files of configuration. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        Map<String, Object> defaults = new LinkedHashMap<>();
        boolean traces = hasAny(environment, TRACES_TO);
        defaults.put("management.otlp.metrics.export.enabled", hasAny(environment, METRICS_TO));
        defaults.put("management.observations.enable.all", traces);
        if (!traces) {
            defaults.put("spring.autoconfigure.exclude", TRACING);
        }
        if (environment.containsProperty("management.server.port")) {
            defaults.put("management.server.address", environment.getProperty("server.address", "127.0.0.1"));
        }
        environment.getPropertySources().addLast(new MapPropertySource("telemetry defaults", defaults));
    }

    /** Whether one of these has a value; an empty address is none. */
    private static boolean hasAny(ConfigurableEnvironment environment, List<String> names) {
        return names.stream().map(environment::getProperty).anyMatch(StringUtils::hasText);
    }
}
