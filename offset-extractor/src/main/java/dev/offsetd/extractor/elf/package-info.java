/**
 * ELF files: headers, sections and their compression, notes (System V gABI). It knows nothing of what debug sections
 * mean.
 */
@NullMarked
package dev.offsetd.extractor.elf;

import org.jspecify.annotations.NullMarked;
