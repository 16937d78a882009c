/**
 * Why a build has no layouts: one vocabulary of causes, from the fetch to the HTTP status. It must not know how files are
 * fetched or builds stored.
 */
@NullMarked
package dev.offsetd.server.sources.outcome;

import org.jspecify.annotations.NullMarked;
