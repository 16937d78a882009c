/**
 * The PostgreSQL that the server works with: one of its own by default, any by configuration. It must not know which
 * tables there are.
 */
@NullMarked
package dev.offsetd.server.database;

import org.jspecify.annotations.NullMarked;
