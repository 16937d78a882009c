/**
 * {@code prewarm}: has a server extract builds before clients request them, and waits until it has. It opens no file:
 * the caller passes the build-ids.
 */
@NullMarked
package dev.offsetd.cli.prewarm;

import org.jspecify.annotations.NullMarked;
