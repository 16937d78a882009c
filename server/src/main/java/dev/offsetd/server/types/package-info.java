/**
 * Which types a build has, and how those of two builds differ. It must not know where debug files come from.
 */
@NullMarked
package dev.offsetd.server.types;

import org.jspecify.annotations.NullMarked;
