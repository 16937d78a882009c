/**
 * The life of a build: its state, the outcome of each source, the next attempt, the lease of its worker, extraction, identity and
 * demand. It must not know the queries about types.
 */
@NullMarked
package dev.offsetd.server.builds;

import org.jspecify.annotations.NullMarked;
