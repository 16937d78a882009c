/**
 * Periodic and queued work that all servers share, in pieces: each piece runs on one server at a time. The pieces are rows of a
 * table, so they survive every server. A server that works renews its lease on the piece with a heartbeat; after four missed ones,
 * another server takes the piece over. A server that only paused may go on at the same time, so what a piece stores must not depend
 * on being alone. Webhooks and identities of builds have their claim and backoff in rows that exist anyway, next to the progress that
 * they guard; pieces for them would be second rows to keep equal. Renewals depend on the version of the server, so servers of two
 * versions cannot share pieces of them. Work that each server does for itself is in {@code operations.timers}. This package must not
 * know what the work is.
 */
@NullMarked
package dev.offsetd.server.operations.work;

import org.jspecify.annotations.NullMarked;
