/**
 * Extracts the types of a build: queries the sources in order, reads the first usable file and stores the result, once
 * per build in the whole cluster. Package {@code builds} tells the protocol.
 *
 * <p>Three types of results lead to an answer. A source says a {@code FetchOutcome}; {@code SourceOutcome} is its row in the database.
 * {@code AttemptResult} is what became of the build, before it is stored. {@code BuildStatus} is what a client gets.
 *
 * <p>This package must not know which queries are made about a build, nor HTTP.
 */
@NullMarked
package dev.offsetd.server.builds.extraction;

import org.jspecify.annotations.NullMarked;
