/**
 * What an operator must never lose, as one file: taken from a database as it is, and put into an empty one. It must not know
 * what the rows mean; it knows the tables by their names only.
 */
@NullMarked
package dev.offsetd.server.backup;

import org.jspecify.annotations.NullMarked;
