package dev.offsetd.extractor.testkit;

import org.jspecify.annotations.Nullable;

/** A unit as another tool prints its header. */
final class RawUnit {

    final String section;
    final long offset;
    int addressSize;
    long signature = RawDies.ABSENT;

    /** Offset of a type unit's type from the start of the unit. */
    long typeOffset = RawDies.ABSENT;

    /** {@code DW_AT_name} of its root. */
    @Nullable
    String name;

    /** {@code DW_AT_language} of its root. */
    long language;

    /** Whether its language counts elements from 1, and has no arrays without an end (DWARF 5 §7.12). */
    boolean isFortranOrAda() {
        return language == Dw.DW_LANG_Ada95
                || language == Dw.DW_LANG_Fortran08
                || (language >= 7 && language <= 8)
                || language == 14
                || language == 34;
    }

    RawUnit(String section, long offset) {
        this.section = section;
        this.offset = offset;
    }
}
