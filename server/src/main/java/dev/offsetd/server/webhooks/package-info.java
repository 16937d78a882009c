/**
 * Webhooks: events sent to URLs that administrators choose, signed, at least once and in order. It must not know what the events
 * report.
 *
 * <p>Each webhook has a cursor in the database, which advances after a delivery. A server claims the work of a webhook for a limited
 * time, and a later claim makes an earlier one void. While a receiver fails, the time between attempts grows, and events that are
 * too old are given up and listed.
 */
@NullMarked
package dev.offsetd.server.webhooks;

import org.jspecify.annotations.NullMarked;
