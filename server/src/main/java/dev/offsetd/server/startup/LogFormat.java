package dev.offsetd.server.startup;

import dev.offsetd.extractor.input.HostileText;
import java.util.List;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.boot.context.logging.LoggingApplicationListener;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/** Rejects an unknown format of log lines before the logging system, which prints stack traces, is to use it. */
final class LogFormat implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    private static final List<String> SETTINGS =
            List.of("logging.structured.format.console", "logging.structured.format.file");
    private static final List<String> FORMATS = List.of("ecs", "gelf", "logstash");

    @Override
    public int getOrder() {
        return LoggingApplicationListener.DEFAULT_ORDER - 1;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        for (String setting : SETTINGS) {
            String format = event.getEnvironment().getProperty(setting, "");
            // A name with a dot is a class.
            if (!format.isEmpty() && !FORMATS.contains(format) && !format.contains(".")) {
                throw new StartException(setting + " is " + HostileText.quote(format) + "; expected one of "
                        + String.join(", ", FORMATS));
            }
        }
    }
}
