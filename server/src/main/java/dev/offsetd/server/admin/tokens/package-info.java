/**
 * The page where tokens are made and taken back. It must not know what a token is good for, nor how it is kept.
 */
@NullMarked
package dev.offsetd.server.admin.tokens;

import org.jspecify.annotations.NullMarked;
