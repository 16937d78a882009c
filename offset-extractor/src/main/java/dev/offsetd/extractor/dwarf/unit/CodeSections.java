package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.Section;

/**
 * The sections of one file that tell where code is from. An absent one is empty.
 *
 * @param line {@code .debug_line}
 * @param ranges {@code .debug_ranges}, before DWARF 5
 * @param rangeLists {@code .debug_rnglists}
 */
public record CodeSections(Section line, Section ranges, Section rangeLists) {}
