/**
 * The units of a file and its related files: headers, unit DIEs, {@code .dwp} indexes, string sections, and the
 * {@linkplain dev.offsetd.extractor.dwarf.unit.DieReader reader of DIEs}. Knows DIEs and no types.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.unit;

import org.jspecify.annotations.NullMarked;
