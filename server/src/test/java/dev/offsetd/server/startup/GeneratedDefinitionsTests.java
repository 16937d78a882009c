package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.operations.telemetry.TelemetryDefaults;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class GeneratedDefinitionsTests {

    private static boolean areValidWith(String variable) {
        StandardEnvironment environment = withoutSettings();
        environment
                .getPropertySources()
                .addFirst(new SystemEnvironmentPropertySource(
                        StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(variable, "value")));
        return GeneratedDefinitions.areValidFor(environment);
    }

    /** Returns an environment with the packaged settings only. */
    private static StandardEnvironment withoutSettings() {
        StandardEnvironment environment = new StandardEnvironment() {
            @Override
            protected void customizePropertySources(MutablePropertySources sources) {
                // Neither variables nor properties of the process of the tests.
            }
        };
        ConfigDataEnvironmentPostProcessor.applyTo(environment);
        new TelemetryDefaults().postProcessEnvironment(environment, new SpringApplication());
        assertThat(environment.getProperty("spring.application.name")).isEqualTo("offsetd");
        return environment;
    }

    @Test
    void packagedSettingsAreThoseOfTheGeneratedDefinitions() {
        assertThat(GeneratedDefinitions.areValidFor(withoutSettings())).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PATH",
                "OFFSETD_READAUTH",
                "OFFSETD_OFFLINE",
                "DEBUGINFOD_URLS",
                "SERVER_PORT",
                "SPRING_AOT_ENABLED",
                "SPRING_DATASOURCE_URL",
                "SPRING_DATASOURCE_HIKARI_MAXIMUMPOOLSIZE",
                "LOGGING_STRUCTURED_FORMAT_CONSOLE"
            })
    void settingsThatBeansReadKeepThemValid(String variable) {
        assertThat(areValidWith(variable)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SPRING_DATASOURCE_TYPE",
                "SPRING_PROFILES_ACTIVE",
                "SERVER_SSL_CERTIFICATE",
                "MANAGEMENT_SERVER_PORT",
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "OFFSETD_DEBUGINFOD_ENABLED"
            })
    void settingsOfConditionsMakeThemInvalid(String variable) {
        assertThat(areValidWith(variable)).isFalse();
    }

    @Test
    void filesOfTheUserCountAsSettings() {
        StandardEnvironment environment = withoutSettings();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "Config resource 'file [application.yaml]' via location 'optional:file:./'",
                        Map.of("management.server.port", "9090")));
        assertThat(GeneratedDefinitions.areValidFor(environment)).isFalse();
    }
}
