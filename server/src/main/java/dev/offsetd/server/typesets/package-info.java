/**
 * Type sets: the built-in ones, and those that people make and change while the servers run. It must not know builds, nor
 * what is answered with sets.
 */
@NullMarked
package dev.offsetd.server.typesets;

import org.jspecify.annotations.NullMarked;
