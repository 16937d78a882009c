/**
 * Telemetry: request and disk metrics, the access log, traces, and the build-id in log lines. It must not know queries
 * or answers, and no metric label may come from a client.
 */
@NullMarked
package dev.offsetd.server.operations.telemetry;

import org.jspecify.annotations.NullMarked;
