/**
 * The abbreviations of a unit (DWARF 5 §7.5.3), compiled to plans that capture the attributes the reader uses and skip
 * the rest. Holds the constants of the standard; reads no units.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.abbreviation;

import org.jspecify.annotations.NullMarked;
