package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;

class DurationTextTests {

    @ParameterizedTest
    @CsvSource({
        "PT0S, 0s",
        "PT1M, 1m",
        "PT90S, 90s",
        "PT1H30M, 90m",
        "PT24H, 1d",
        "PT25H, 25h",
        "PT0.25S, 250ms",
        "PT1.5S, 1500ms",
        "PT-1M, -1m",
        "PT-0.5S, -500ms",
        "PT0.0000015S, 1500ns",
        "PT0.000002S, 2us"
    })
    void durationIsTheTextOfASetting(Duration time, String text) {
        assertThat(DurationText.of(time)).isEqualTo(text);
        assertThat(DurationStyle.detectAndParse(text)).isEqualTo(time);
    }

    /** Every setting that holds a time and refuses one below zero. */
    @Test
    void messagesAboutSettingsHaveDurationsAsAPersonWritesThem() throws ClassNotFoundException {
        ClassPathScanningCandidateComponentProvider scan = new ClassPathScanningCandidateComponentProvider(false);
        scan.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
        List<String> messages = new ArrayList<>();
        for (var found : scan.findCandidateComponents("dev.offsetd.server")) {
            Class<?> settings = Class.forName(Objects.requireNonNull(found.getBeanClassName()));
            String prefix =
                    settings.getAnnotation(ConfigurationProperties.class).value();
            bindEach(settings, prefix, settings, prefix, messages);
        }
        assertThat(messages).hasSizeGreaterThan(30).noneMatch(message -> message.contains("PT"));
        assertThat(messages)
                .anyMatch(message -> message.startsWith("offsetd.watch has unready-after -90s and end-after 1m;"));
    }

    private static void bindEach(Class<?> settings, String prefix, Class<?> part, String at, List<String> messages) {
        for (var component : part.getRecordComponents()) {
            String name =
                    at + "." + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
            if (component.getType().isRecord()) {
                bindEach(settings, prefix, component.getType(), name, messages);
            } else if (component.getType() == Duration.class) {
                try {
                    new Binder(new MapConfigurationPropertySource(Map.of(name, "-90s")))
                            .bindOrCreate(prefix, Bindable.of(settings));
                } catch (BindException e) {
                    messages.add(String.valueOf(
                            NestedExceptionUtils.getMostSpecificCause(e).getMessage()));
                }
            }
        }
    }
}
