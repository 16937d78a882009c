package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.dwarf.abbreviation.AbbreviationTable;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.layout.Language;

/**
 * A unit whose header and unit DIE have been read.
 *
 * @param index its place among all units that are read, of every section and file, from 0
 * @param name {@code DW_AT_name} of its unit DIE, or empty
 * @param language what it says its language is, or {@link Languages#UNKNOWN}
 * @param producer unresolved {@code DW_AT_producer}, or {@link NameRef#NONE}
 * @param folder unresolved {@code DW_AT_comp_dir}, or {@link NameRef#NONE}
 * @param strOffsetsBase where its string indexes are counted from in {@code .debug_str_offsets}
 */
public record Unit(
        int index,
        UnitHeader header,
        AbbreviationTable abbreviations,
        String name,
        Language language,
        long producer,
        long folder,
        long strOffsetsBase) {

    /** Returns whether it says its language; partial units that dwz makes do not. */
    public boolean namesLanguage() {
        return !language.name().equals(Languages.UNKNOWN.name());
    }
}
