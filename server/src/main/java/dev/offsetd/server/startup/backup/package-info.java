/**
 * Backup of the state that cannot be fetched again: copied from a database to one file, and restored into an empty
 * database. It knows tables by name only, and must not know what their rows mean.
 */
@NullMarked
package dev.offsetd.server.startup.backup;

import org.jspecify.annotations.NullMarked;
