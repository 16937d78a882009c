/**
 * What the server tells those who watch it: meters of requests and of the disk, the access log, traces, and which build a
 * log line is about. It must not know what is asked or answered, and no label of a meter may come from outside.
 */
@NullMarked
package dev.offsetd.server.telemetry;

import org.jspecify.annotations.NullMarked;
