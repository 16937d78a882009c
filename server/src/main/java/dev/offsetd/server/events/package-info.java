/**
 * The event log: stored builds, drift, failures and demand, read with a cursor or sent to webhooks.
 *
 * <p><b>No event is lost or invented.</b> An event is written in the transaction of the change that it reports, so a process that is
 * killed leaves both or neither.
 *
 * <p><b>Order.</b> A sequence would number events in the order in which transactions began to write, and a reader that has seen
 * number 8 could miss number 7, which is committed later. Events therefore take their numbers from {@code change_counter}, as the
 * last statement that may wait for another transaction: its row stays locked until then, so numbers become visible in order. A transaction that
 * changes builds, too, takes the number of its builds first. It waits for nothing after that, and no two transactions can wait for
 * each other.
 *
 * <p><b>Cursor.</b> A cursor is the number up to which a client has read. The log keeps the number of its last deleted event; a
 * cursor before that one has expired.
 *
 * <p>This package must not know builds nor watches: they report to it.
 */
@NullMarked
package dev.offsetd.server.events;

import org.jspecify.annotations.NullMarked;
