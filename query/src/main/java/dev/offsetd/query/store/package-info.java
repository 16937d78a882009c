/**
 * Stored catalogues: the types and variables of a build as compressed blocks with a sorted name index, read a block at a
 * time. Bytes in, bytes out; knows no debug format and no database.
 */
@NullMarked
package dev.offsetd.query.store;

import org.jspecify.annotations.NullMarked;
