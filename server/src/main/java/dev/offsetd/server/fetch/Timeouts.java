package dev.offsetd.server.fetch;

import java.time.Duration;

/**
 * How long an upstream may take.
 *
 * @param connect until a connection stands
 * @param headers until the response's headers are complete, connecting included
 * @param stall without a single byte
 * @param total for one file, redirects included
 */
record Timeouts(Duration connect, Duration headers, Duration stall, Duration total) {}
