/**
 * Tells whoever runs the server how it is and which one it is, and ends a process that cannot go on. It must not know what
 * the server answers.
 */
@NullMarked
package dev.offsetd.server.health;

import org.jspecify.annotations.NullMarked;
