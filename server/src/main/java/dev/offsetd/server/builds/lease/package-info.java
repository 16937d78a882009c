/**
 * Leases: at most one server works on a build, and a server that died or was suspended does no harm. The protocol is told in
 * package {@code builds}; this package must not know the states of builds, nor what is stored of them.
 */
@NullMarked
package dev.offsetd.server.builds.lease;

import org.jspecify.annotations.NullMarked;
