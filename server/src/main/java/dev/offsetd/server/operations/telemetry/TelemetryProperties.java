package dev.offsetd.server.operations.telemetry;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of telemetry.
 *
 * @param accessLog whether each request is logged
 */
@ConfigurationProperties("offsetd")
record TelemetryProperties(@DefaultValue("false") boolean accessLog) {}
