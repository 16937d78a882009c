/**
 * DWARF 2 to 5: units, abbreviations compiled to plans, and the type definitions in {@code .debug_info}. It is given
 * sections and knows nothing of the file that they came from.
 */
@NullMarked
package dev.offsetd.extractor.dwarf;

import org.jspecify.annotations.NullMarked;
