/**
 * Type sets: the built-in ones, and those that users create and change at run time. It must not know builds, nor the
 * queries that use sets.
 */
@NullMarked
package dev.offsetd.server.typesets;

import org.jspecify.annotations.NullMarked;
