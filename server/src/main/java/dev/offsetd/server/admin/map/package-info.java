/**
 * Types drawn as memory maps: what takes up which bits, and where that comes to lie in rows of bytes. It must not know which
 * page shows them, nor where types are kept.
 */
@NullMarked
package dev.offsetd.server.admin.map;

import org.jspecify.annotations.NullMarked;
