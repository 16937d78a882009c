/**
 * Layouts in the run-time type descriptors of Go programs, for programs without debug information. Knows neither ELF nor
 * the other sources of types.
 */
@NullMarked
package dev.offsetd.extractor.go;

import org.jspecify.annotations.NullMarked;
