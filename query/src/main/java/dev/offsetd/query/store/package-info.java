/**
 * Stored catalogues, symbols and frames: the types, variables, symbols, functions and lines of a build as compressed blocks with
 * sorted indexes, read a block at a time. Bytes in, bytes out; knows no debug format and no database.
 */
@NullMarked
package dev.offsetd.query.store;

import org.jspecify.annotations.NullMarked;
