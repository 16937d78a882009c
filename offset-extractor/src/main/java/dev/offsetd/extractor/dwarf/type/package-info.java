/**
 * Statements of a single type DIE: size, array bounds, member locations and variant parts. The DIEs that it refers to
 * are {@linkplain dev.offsetd.extractor.dwarf.unit.DieAddress numbers} here.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.type;

import org.jspecify.annotations.NullMarked;
