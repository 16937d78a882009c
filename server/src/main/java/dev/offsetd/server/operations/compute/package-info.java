/**
 * Threads for work that computes.
 *
 * <p>Requests run on virtual threads, which share as many carriers as there are processors. A carrier is free again only when its
 * thread waits: work that computes for seconds on each of them would stop every request of the server, and a file can make work
 * take arbitrarily long. Therefore, everything that may take more than 10 ms of processor time runs on platform threads, between
 * which and the carriers the kernel shares the processors fairly, and virtual threads wait for it.
 *
 * <p>There is one {@link dev.offsetd.server.operations.compute.ComputePool} for each kind of work: reading files, verifying files
 * of sources and objects, rendering exports, and answering large queries. Each pool has at most one thread per processor, so that work of one
 * kind, however long it takes, neither occupies the threads of another nor delays it by more than its share of the processors.
 * Small answers stay on the virtual thread. Threads that are not of a pool help with large files: for each file that is read, one
 * per processor for its units and one for each large section that is decompressed, and the common pool of the JVM.
 *
 * <p>Work on a pool does not wait for other work on a pool: what it needs of others, it does itself. It has a deadline, which it
 * checks; work that does not is interrupted, loses its callers, and its thread is replaced.
 *
 * <p>This package must not know what the work is.
 */
@NullMarked
package dev.offsetd.server.operations.compute;

import org.jspecify.annotations.NullMarked;
