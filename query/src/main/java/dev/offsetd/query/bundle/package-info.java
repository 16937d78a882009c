/**
 * Bundles: builds with their types, symbols, names and pins in one signed file, for hosts without a network. It must not know
 * HTTP or a database, and reads nothing before its size, path and hash are checked.
 */
@NullMarked
package dev.offsetd.query.bundle;

import org.jspecify.annotations.NullMarked;
