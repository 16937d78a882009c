/**
 * Extracts the types of a build: queries the sources in order, reads the first usable file and stores the result, once
 * per build in the whole cluster. Package {@code builds} describes the protocol.
 *
 * <p>From a source to the response of the client, each step has its type of result:
 * <ol>
 *   <li>{@code FetchOutcome}: what a source sent;
 *   <li>{@code SourceResult}: its file as read, with the {@code SourceOutcome} that is stored in the database;
 *   <li>{@code AttemptResult}: result of all sources, before it is stored;
 *   <li>{@code BuildStatus}: the stored build, or the work in progress;
 *   <li>{@code BuildAccess} (package {@code answers}): the part that one query reads.
 * </ol>
 * These are five types, because a source knows no reader of files, the result of an attempt holds content that must not outlive its storing, and a
 * status knows no pins, which a package above has.
 *
 * <p>This package must not know which queries are made about a build, nor HTTP.
 */
@NullMarked
package dev.offsetd.server.builds.extraction;

import org.jspecify.annotations.NullMarked;
