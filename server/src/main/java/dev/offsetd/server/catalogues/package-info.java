/**
 * The stored types and symbols of builds: written whole, read in slices. It must not know where debug files come from, nor what is
 * asked about the types.
 */
@NullMarked
package dev.offsetd.server.catalogues;

import org.jspecify.annotations.NullMarked;
