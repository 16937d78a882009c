package dev.offsetd.server.telemetry;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of what the server tells of itself.
 *
 * @param accessLog whether each request is a line of the log
 */
@ConfigurationProperties("offsetd")
record TelemetryProperties(@DefaultValue("false") boolean accessLog) {}
