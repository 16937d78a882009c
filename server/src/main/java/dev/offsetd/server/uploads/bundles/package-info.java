/**
 * Sends stored builds with their types, symbols, names and pins, from which the command line makes bundles, and imports the
 * builds of a bundle. It must not know the signature of a bundle, which the importer checks.
 */
@NullMarked
package dev.offsetd.server.uploads.bundles;

import org.jspecify.annotations.NullMarked;
