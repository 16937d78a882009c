package dev.offsetd.server.operations.telemetry;

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
 * Derives telemetry settings from others: an export is enabled by its configured address, and a separate metrics port
 * listens on the server's address. Explicit settings take precedence. Public because Spring creates it by class name.
 */
public final class TelemetryDefaults implements EnvironmentPostProcessor, Ordered {

    /** Addresses for traces. The last two are OpenTelemetry's own names, which Spring Boot translates later. */
    private static final List<String> TRACES_TO = List.of(
            "management.opentelemetry.tracing.export.otlp.endpoint",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "OTEL_EXPORTER_OTLP_ENDPOINT");

    private static final List<String> METRICS_TO = List.of(
            "management.otlp.metrics.export.url", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT");

    /** Auto-configurations of tracing, which would cost time at startup and for every request. */
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

    /** Runs after the configuration files are loaded. */
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

    /** Returns whether one of these has a value that is not empty. */
    private static boolean hasAny(ConfigurableEnvironment environment, List<String> names) {
        return names.stream().map(environment::getProperty).anyMatch(StringUtils::hasText);
    }
}
