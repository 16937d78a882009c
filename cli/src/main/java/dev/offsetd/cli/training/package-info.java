/**
 * The run from which a JVM learns what starts of the command line need. It knows no command but by the words that call
 * it, and no file but its own.
 */
@NullMarked
package dev.offsetd.cli.training;

import org.jspecify.annotations.NullMarked;
