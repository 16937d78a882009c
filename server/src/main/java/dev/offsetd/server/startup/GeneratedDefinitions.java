package dev.offsetd.server.startup;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.aot.AotDetector;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.ApplicationListener;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;

/**
 * Decides whether a start uses the bean definitions that the build generated. The build has evaluated Spring's conditions with
 * the packaged settings. If a setting of this start may change their outcome, the definitions are derived from the classes as
 * without the generated ones, which takes longer. The launcher asks for the generated ones by {@code spring.aot.enabled}.
 */
public final class GeneratedDefinitions implements ApplicationListener<ApplicationEnvironmentPreparedEvent> {

    /** Settings that conditions read, or groups of such settings. */
    private static final List<ConfigurationPropertyName> CONDITIONAL =
            names("spring", "server", "management", "otel", "offsetd.debuginfod.enabled");

    /** Settings that no condition reads, only beans. */
    private static final List<ConfigurationPropertyName> READ_BY_BEANS = names(
            "spring.aot.enabled",
            "spring.application",
            "spring.datasource.url",
            "spring.datasource.username",
            "spring.datasource.password",
            "spring.datasource.hikari",
            "server.address",
            "server.port",
            "server.tomcat.max-connections");

    private static List<ConfigurationPropertyName> names(String... names) {
        return Stream.of(names).map(ConfigurationPropertyName::of).toList();
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        if (AotDetector.useGeneratedArtifacts() && !areValidFor(event.getEnvironment())) {
            SpringProperties.setProperty(AotDetector.AOT_ENABLED, "false");
        }
    }

    /** Returns whether no setting but the packaged ones may change the outcome of a condition. */
    static boolean areValidFor(Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (!isPackaged(source)
                    && source instanceof IterableConfigurationPropertySource settings
                    && settings.stream().anyMatch(GeneratedDefinitions::isConditional)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPackaged(ConfigurationPropertySource source) {
        return source.getUnderlyingSource() instanceof PropertySource<?> properties
                && (properties.getName().startsWith("Config resource 'class path resource [application.yaml]'")
                        // Derived from settings that are checked.
                        || properties.getName().equals("telemetry defaults"));
    }

    private static boolean isConditional(ConfigurationPropertyName name) {
        return isWithin(CONDITIONAL, name) && !isWithin(READ_BY_BEANS, name);
    }

    private static boolean isWithin(List<ConfigurationPropertyName> settings, ConfigurationPropertyName name) {
        return settings.stream().anyMatch(setting -> setting.equals(name) || setting.isAncestorOf(name));
    }
}
