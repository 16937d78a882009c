/**
 * {@code push}: uploads debug information that no source has. How a file is read, and what of it the server needs, it leaves to
 * the extractor.
 */
@NullMarked
package dev.offsetd.cli.push;

import org.jspecify.annotations.NullMarked;
