/**
 * Queries about types: the list of a build's types, and the layout changes between two builds. It must not know where
 * debug files come from.
 */
@NullMarked
package dev.offsetd.server.answers.types;

import org.jspecify.annotations.NullMarked;
