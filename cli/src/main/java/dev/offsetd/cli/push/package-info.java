/**
 * {@code push}: uploads debug information that no source has. The extractor reads the files and selects the sections.
 */
@NullMarked
package dev.offsetd.cli.push;

import org.jspecify.annotations.NullMarked;
