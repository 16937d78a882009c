/**
 * DWARF 2 to 5 in layers: {@code abbreviation}, {@code unit}, {@code type}, {@code name}, {@code scan}, {@code build} and {@code
 * frame}.
 * Each uses the ones before it only.
 *
 * <p>Types are read in three phases, because most units repeat the types of shared headers. A scan of each unit finds the
 * named types and computes a 128-bit hash of each layout from the DIEs alone. A merge keeps one of all definitions with the
 * same hash. Only those are built as shapes.
 *
 * <p>The packages are given sections and do not know the file that they came from. Hot paths hold the position of a DIE as a
 * {@code long}, see {@link dev.offsetd.extractor.dwarf.unit.DieAddress}.
 */
@NullMarked
package dev.offsetd.extractor.dwarf;

import org.jspecify.annotations.NullMarked;
