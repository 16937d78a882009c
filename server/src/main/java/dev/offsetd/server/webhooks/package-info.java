/**
 * Webhooks: events sent to URLs that administrators choose, signed, at least once and in order. It must not know what the events
 * report.
 */
@NullMarked
package dev.offsetd.server.webhooks;

import org.jspecify.annotations.NullMarked;
