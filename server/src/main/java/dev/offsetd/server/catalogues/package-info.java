/**
 * The stored types and symbols of builds, written whole and read in slices, and the uploads that are kept. It must not know where debug files come
 * from, nor the queries about types.
 */
@NullMarked
package dev.offsetd.server.catalogues;

import org.jspecify.annotations.NullMarked;
