package dev.offsetd.extractor.dwarf.unit;

/**
 * Contribution of one compilation to the sections of a {@code .dwp} file (DWARF 5 §7.3.5.2), as offsets from the start of
 * each section. In other files the whole section is one contribution.
 *
 * @param units in {@code .debug_info.dwo} or {@code .debug_types.dwo}
 * @param abbrev in {@code .debug_abbrev.dwo}
 * @param strOffsets in {@code .debug_str_offsets.dwo}
 * @param rangeLists in {@code .debug_rnglists.dwo}
 */
record Contribution(long units, long abbrev, long strOffsets, long rangeLists) {

    static final Contribution WHOLE = new Contribution(0, 0, 0, 0);
}
