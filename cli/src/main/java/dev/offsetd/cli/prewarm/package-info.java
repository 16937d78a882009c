/**
 * {@code prewarm}: has a server get builds before anybody asks for them, and waits until it has. It opens no file; which
 * builds there are it is told.
 */
@NullMarked
package dev.offsetd.cli.prewarm;

import org.jspecify.annotations.NullMarked;
