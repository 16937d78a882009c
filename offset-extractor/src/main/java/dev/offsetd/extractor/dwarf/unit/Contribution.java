package dev.offsetd.extractor.dwarf.unit;

/**
 * Where the share of one compilation starts in the sections that a {@code .dwp} file has put together (DWARF 5
 * §7.3.5.2), in bytes from the start of each section. In any other file a section is one share.
 *
 * @param units in {@code .debug_info.dwo} or {@code .debug_types.dwo}
 * @param abbrev in {@code .debug_abbrev.dwo}
 * @param strOffsets in {@code .debug_str_offsets.dwo}
 */
record Contribution(long units, long abbrev, long strOffsets) {

    static final Contribution WHOLE = new Contribution(0, 0, 0);
}
