/**
 * The answer as records: architectures, types, variables and members, with the indexes by which they are looked up. It knows
 * neither ELF nor DWARF.
 */
@NullMarked
package dev.offsetd.extractor.layout;

import org.jspecify.annotations.NullMarked;
