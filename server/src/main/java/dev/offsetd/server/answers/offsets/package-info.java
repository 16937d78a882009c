/**
 * Offsets of items, the main query: parses it, waits for the build, resolves the items and caches the rendered answer.
 * It must not know where debug files come from.
 */
@NullMarked
package dev.offsetd.server.answers.offsets;

import org.jspecify.annotations.NullMarked;
