/**
 * The first two phases of reading types: {@link dev.offsetd.extractor.dwarf.scan.DefinitionScanner} walks each unit and
 * hashes what it selects; {@link dev.offsetd.extractor.dwarf.scan.DefinitionMerge} merges definitions with equal hashes.
 */
@NullMarked
package dev.offsetd.extractor.dwarf.scan;

import org.jspecify.annotations.NullMarked;
