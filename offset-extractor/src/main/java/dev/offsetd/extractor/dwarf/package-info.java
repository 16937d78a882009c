/**
 * DWARF 2 to 5 in layers: {@code abbreviation}, {@code unit}, {@code type}, {@code name}, {@code scan}, {@code build} and
 * {@code frame}. Each uses the ones before it only.
 *
 * <p>Types are read in two passes, because most units repeat the types of shared headers. A {@linkplain
 * dev.offsetd.extractor.dwarf.scan scan} of each unit finds the named types, computes a 128-bit key of each from the DIEs alone,
 * and keeps one of all with the same key. Only those are {@linkplain dev.offsetd.extractor.dwarf.build built} as shapes.
 *
 * <p>The packages are given sections and do not know the file that they came from. Hot paths hold the position of a DIE as a
 * {@code long}, see {@link dev.offsetd.extractor.dwarf.unit.DieAddress}.
 */
@NullMarked
package dev.offsetd.extractor.dwarf;

import org.jspecify.annotations.NullMarked;
