/**
 * API tokens: their table, and their copy in memory. It must not know what a token permits.
 */
@NullMarked
package dev.offsetd.server.access.tokens;

import org.jspecify.annotations.NullMarked;
