/**
 * The tokens that are given out, taken back and kept: their table, and what of it is in memory. It must not know what a
 * token is good for.
 */
@NullMarked
package dev.offsetd.server.tokens;

import org.jspecify.annotations.NullMarked;
