/** The server's PostgreSQL: embedded by default, or external by configuration. It must not know the tables. */
@NullMarked
package dev.offsetd.server.database;

import org.jspecify.annotations.NullMarked;
