package dev.offsetd.server.sources.http;

import java.time.Duration;

/**
 * Time limits of requests to an upstream.
 *
 * @param connect time to establish a connection
 * @param headers time until the response headers are complete, connecting included
 * @param stall time without a byte
 * @param total time for one file, redirects included
 */
public record Timeouts(Duration connect, Duration headers, Duration stall, Duration total) {}
