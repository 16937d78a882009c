/**
 * Blobs of compressed blocks with sorted indexes, read a block at a time, and the catalogues and frames stored so: the types,
 * variables, functions and lines of a build. Bytes in, bytes out; knows no debug format and no database.
 */
@NullMarked
package dev.offsetd.query.store;

import org.jspecify.annotations.NullMarked;
