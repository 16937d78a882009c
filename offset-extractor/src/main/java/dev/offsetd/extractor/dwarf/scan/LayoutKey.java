package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.unit.HashMixing;

/** A key of 128 bits that numbers are added to. */
final class LayoutKey {

    long high;
    long low;

    /** Begins a new key. */
    void begin(long what) {
        high = HashMixing.mix(what);
        low = HashMixing.mix(what ^ HashMixing.GOLDEN);
    }

    void add(long value) {
        high = HashMixing.mix(high ^ value);
        low = HashMixing.mix(low + value);
    }
}
