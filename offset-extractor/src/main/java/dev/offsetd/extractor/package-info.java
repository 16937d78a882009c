/**
 * Entry point of the library. It opens a file, hands its sections to the readers, runs them over all units and merges what
 * they find. Only this package knows both ELF and DWARF, and only it starts threads.
 */
@NullMarked
package dev.offsetd.extractor;

import org.jspecify.annotations.NullMarked;
