/**
 * Completes the identities of stored builds behind the answers: what only the executable states, and the type sets that a build
 * has. It must not delay an answer, and nothing depends on it.
 */
@NullMarked
package dev.offsetd.server.prewarms.enrichment;

import org.jspecify.annotations.NullMarked;
