/**
 * The life of a build, from the first request to its stored types.
 *
 * <p><b>States.</b> A build is <i>wanted</i> when it is first requested. An attempt leaves it in one of four states:
 * <ul>
 *   <li><i>extracted</i>: its types are stored;
 *   <li><i>not found</i>: every source that was queried answered that it does not have it;
 *   <li><i>unusable</i>: a source has a file, but no source has a usable one;
 *   <li><i>failed</i>: a source or a server failed, which says nothing about the build.
 * </ul>
 * Each result other than extracted has a time at which the next attempt may start. An extracted build is read again only when a later
 * extractor reads more of its file, or when a source may have a better one. A retry returns a build to wanted, and so does the
 * discovery that its stored types are corrupt. {@code BuildStates.change} makes every change of a state, in the transaction of its
 * cause, and appends the event of a build that becomes extracted.
 *
 * <p><b>One attempt.</b> {@code extraction.Extractions} shares one attempt among all callers of a server:
 * <ol>
 *   <li>{@code Extractions} claims the lease of the build, which no other server can hold meanwhile ({@link
 *       dev.offsetd.server.builds.lease.LeaseHolder#claim}), and calls {@code ExtractionWorker} for the next steps.
 *   <li>{@code SourceRound} queries the sources in order and reads the first usable file, without a transaction and without a
 *       connection: this takes seconds to minutes.
 *   <li>{@code AttemptStore} writes the bytes to the object store, if there is one, and compares layouts.
 *   <li>{@code AttemptStore} ends the lease and stores the result in one transaction.
 * </ol>
 *
 * <p><b>Lease and fencing.</b> {@code extraction_lease} has one row for each build, with owner, end and {@code attempt}. Taking a free
 * or expired lease increments {@code attempt}. A heartbeat renews all leases of a server. A worker that was suspended for longer
 * than its lease does not know that another server has taken over, so the transaction of step 4 begins by ending the lease of
 * this owner and attempt: if that updates no row, {@link dev.offsetd.server.builds.lease.Lease.LeaseLostException} rolls everything back.
 * Leases and retry times are by the database's clock. The times at which files were read and sources were queried are by the clock of
 * the server that did so; they only order and date what is shown.
 *
 * <p><b>Generation.</b> A transaction that changes the answers of a build gives it the next number of {@code change_counter}. It does
 * so after all its other work, because the lock of that row lets one transaction commit at a time. Servers poll the counter and drop
 * what they have cached of builds with an older generation. Slices of catalogues and symbols are cached by generation. A reader that
 * opened a catalogue before it was replaced may read a slice of the next one: that fails the checksum, and {@code
 * answers.BuildQueries} runs the query again on the new generation.
 *
 * <p><b>Tables.</b>
 * <ul>
 *   <li>{@code builds}: {@code BuildStates} writes states and results, {@code Builds} adds rows and writes claimed names, {@code
 *       StoredGenerations} writes generations, {@code UnknownBuilds} deletes builds without stored data;
 *   <li>{@code extraction_lease}: {@code Leases}, and {@code AbandonedLeases} at the start;
 *   <li>{@code source_outcomes}: {@code SourceOutcomes}; {@code debug_files}: {@code DebugFileTable}, and {@code FrameStates} what it
 *       has of functions and lines; {@code build_conflicts}: {@code ConflictingFiles}; {@code build_aliases} and {@code
 *       shared_build_ids}: {@code BuildKeys} and {@code SharedBuildIds}; all in the transaction of step 4, of an upload, or of a
 *       retry;
 *   <li>catalogues, symbols, functions and lines, and kept files: package {@code storage}, in the same transactions;
 *   <li>{@code build_identities}, {@code identity_facets} and {@code go_modules}: package {@code identity}; events: package {@code
 *       events}; the agreement of pins: package {@code pins}; also in the transaction of step 4.
 * </ul>
 * Locks are taken in the order lease, build, what belongs to the build, change counter.
 *
 * <p><b>Kills.</b>
 * <ul>
 *   <li>During steps 1 and 2, nothing is stored. The lease expires, and another server begins anew. The disk cache may have the
 *       file; incomplete ones are removed at the next start. With the embedded database, no other server can hold a lease, so
 *       {@code AbandonedLeases} frees them at the start.
 *   <li>During step 3, the object store may have objects to which no row refers. They are overwritten by the next attempt, or
 *       collected later.
 *   <li>During step 4, the database rolls back or has committed: there is either no result, or all of it and a free lease.
 *   <li>A shutdown releases all leases of the server in one statement, and interrupts the workers.
 *   <li>A server that ends itself, because reading a file left no thread for requests, counts a failed attempt first. After two of
 *       them the build is unusable, so one file does not end one server after the other.
 * </ul>
 *
 * <p><b>Functions and lines</b> are read when they are requested, from the debug file, which is fetched again with its line tables:
 * {@code extraction.FrameReads} does so by steps 1 to 4 under the same lease. A server that has just extracted the build, and thus has
 * its file, claims the lease at once, before others learn by their polls that it is free. {@code FrameStates} keeps the result, which
 * holds while the same file answers for the build.
 *
 * <p>An upload stores its file by the same steps 1, 3 and 4. This package must not know the queries about types.
 */
@NullMarked
package dev.offsetd.server.builds;

import org.jspecify.annotations.NullMarked;
