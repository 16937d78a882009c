/**
 * State of every build: whether its types are stored, the outcome of each source, the next attempt, and the lease of
 * its worker. It must not know how debug files are fetched or read.
 */
@NullMarked
package dev.offsetd.server.builds;

import org.jspecify.annotations.NullMarked;
