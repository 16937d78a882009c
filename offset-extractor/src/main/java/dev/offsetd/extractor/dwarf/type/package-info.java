/**
 * What the DIE of one type states: its size, array bounds, member locations and variant parts. Every other DIE that it
 * refers to is a {@linkplain dev.offsetd.extractor.dwarf.unit.DieAddress number} here.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.type;

import org.jspecify.annotations.NullMarked;
