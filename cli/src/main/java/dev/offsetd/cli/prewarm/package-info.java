/**
 * {@code prewarm} and {@code core --prewarm}: have a server extract builds before clients request them, and wait until it
 * has.
 */
@NullMarked
package dev.offsetd.cli.prewarm;

import org.jspecify.annotations.NullMarked;
