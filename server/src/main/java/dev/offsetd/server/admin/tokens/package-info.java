/**
 * The page that creates and revokes tokens. It must not know what a token permits, nor how it is stored.
 */
@NullMarked
package dev.offsetd.server.admin.tokens;

import org.jspecify.annotations.NullMarked;
