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

    RawUnit(String section, long offset) {
        this.section = section;
        this.offset = offset;
    }
}
