/**
 * Layouts in CPython's table of debug offsets, for interpreters without debug information. Knows neither ELF nor the other
 * sources of types.
 */
@NullMarked
package dev.offsetd.extractor.python;

import org.jspecify.annotations.NullMarked;
