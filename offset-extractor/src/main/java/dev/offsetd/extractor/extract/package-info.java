/**
 * The one entry to the library: opens a file, wires the readers, runs them over all units and hands out what they
 * found. It alone knows both ELF and DWARF, and it alone starts threads.
 */
@NullMarked
package dev.offsetd.extractor.extract;

import org.jspecify.annotations.NullMarked;
