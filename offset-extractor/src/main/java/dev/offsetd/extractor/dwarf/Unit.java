package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.layout.Language;

/**
 * A unit whose header and unit DIE have been read.
 *
 * @param index its place among the units of the section, from 0
 * @param name {@code DW_AT_name} of its unit DIE, or empty
 * @param language what it says its language is, or {@link Languages#UNKNOWN}
 * @param strOffsetsBase where its string indexes are counted from in {@code .debug_str_offsets}
 * @param tag of its unit DIE
 */
record Unit(
        int index,
        UnitHeader header,
        AbbreviationTable abbreviations,
        String name,
        Language language,
        long strOffsetsBase,
        int tag) {

    boolean isPartial() {
        return tag == Dwarf.DW_TAG_partial_unit;
    }
}
