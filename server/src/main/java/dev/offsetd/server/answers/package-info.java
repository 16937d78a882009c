/**
 * The way from a query to its answer, which is the same for offsets, symbols, types, differences and exports.
 *
 * <p>A controller parses the request once: its query, with items, view and representation, and a
 * {@link dev.offsetd.server.answers.BuildRequest}. Type sets are expanded once.
 * {@link dev.offsetd.server.answers.BuildQueries#access} then begins the extraction of the build, or joins one that is running, and
 * returns a {@link dev.offsetd.server.answers.BuildAccess}: stored, types that are read and not stored yet, pins alone, in progress,
 * or unavailable with its cause. The caller switches over it and renders an {@link dev.offsetd.server.answers.Answer}, which sets
 * the validators of its response. If what is stored turns out to be damaged while it is read,
 * {@link dev.offsetd.server.answers.BuildQueries#answer} extracts it again and runs the query once more.
 *
 * <p>It must not know where debug files come from.
 */
@NullMarked
package dev.offsetd.server.answers;

import org.jspecify.annotations.NullMarked;
