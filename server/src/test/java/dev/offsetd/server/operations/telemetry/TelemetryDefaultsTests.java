package dev.offsetd.server.operations.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class TelemetryDefaultsTests {

    private static ConfigurableEnvironment after(Map<String, Object> configured) {
        ConfigurableEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("test", new TreeMap<>(configured)));
        new TelemetryDefaults().postProcessEnvironment(environment, new SpringApplication());
        return environment;
    }

    @ParameterizedTest
    @CsvSource({
        "none, x, false, false",
        "management.opentelemetry.tracing.export.otlp.endpoint, http://c/v1/traces, true, false",
        "management.opentelemetry.tracing.export.otlp.endpoint, '', false, false",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, http://c, true, false",
        "OTEL_EXPORTER_OTLP_ENDPOINT, http://c, true, true",
        "management.otlp.metrics.export.url, http://c, false, true"
    })
    void whatIsExportedFollowsFromTheAddresses(String property, String value, boolean traces, boolean metrics) {
        ConfigurableEnvironment environment = after(Map.of(property, value));
        assertThat(environment.getProperty("management.observations.enable.all", Boolean.class))
                .isEqualTo(traces);
        assertThat(environment.containsProperty("spring.autoconfigure.exclude")).isEqualTo(!traces);
        assertThat(environment.getProperty("management.otlp.metrics.export.enabled", Boolean.class))
                .isEqualTo(metrics);
    }

    @Test
    void separatePortIsOnTheServersAddressByDefault() {
        assertThat(after(Map.of("server.address", "::1", "management.server.port", 9090))
                        .getProperty("management.server.address"))
                .isEqualTo("::1");
        assertThat(after(Map.of("management.server.port", 9090, "management.server.address", "0.0.0.0"))
                        .getProperty("management.server.address"))
                .isEqualTo("0.0.0.0");
        assertThat(after(Map.of("server.address", "::1")).containsProperty("management.server.address"))
                .isFalse();
    }
}
