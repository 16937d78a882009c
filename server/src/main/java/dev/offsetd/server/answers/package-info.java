/**
 * The way from a query to its answer, which is the same for offsets, symbols, types, differences and exports.
 *
 * <p>A controller parses the request once, into a query and a {@link dev.offsetd.server.answers.BuildRequest}. The class that
 * answers expands type sets once. {@link dev.offsetd.server.answers.BuildQueries#answer} begins the extraction of the build, or
 * joins the one in progress. It runs the query on a {@link dev.offsetd.server.answers.BuildAccess}: stored, only pins, in progress,
 * or unavailable. Types that are read and not stored yet have a function of the caller, because few queries can use them; it may
 * run twice, on what is read first and on all types, and {@code answer} has this loop for all callers. The caller renders an
 * {@link dev.offsetd.server.answers.Answer}, which sets the validators of its response. If stored data turns out to be damaged,
 * {@code answer} has the build extracted again and runs the query once more.
 *
 * <p>This package must not know where debug files come from.
 */
@NullMarked
package dev.offsetd.server.answers;

import org.jspecify.annotations.NullMarked;
