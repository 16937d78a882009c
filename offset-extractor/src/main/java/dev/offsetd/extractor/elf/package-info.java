/**
 * ELF files: headers, sections, notes (System V gABI), and what sections and whole files are compressed and packed in. It
 * knows nothing of what debug sections mean.
 */
@NullMarked
package dev.offsetd.extractor.elf;

import org.jspecify.annotations.NullMarked;
