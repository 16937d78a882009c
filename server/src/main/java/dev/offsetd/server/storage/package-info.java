/**
 * The stored types, symbols, functions and lines of builds, written whole and read in slices, and the uploads that are kept, in PostgreSQL or in
 * an object store. It must not know where debug files come from, nor the queries about types.
 */
@NullMarked
package dev.offsetd.server.storage;

import org.jspecify.annotations.NullMarked;
