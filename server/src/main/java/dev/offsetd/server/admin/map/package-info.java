/**
 * Memory maps of types: which member occupies which bits, laid out in rows of bytes. It must not know which page shows
 * them, nor where types are stored.
 */
@NullMarked
package dev.offsetd.server.admin.map;

import org.jspecify.annotations.NullMarked;
