package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.unit.DieNames;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Language.Family;

/**
 * Knowledge of the compilers of C that write each type at the top level of its unit. Types do not nest in C, but GCC 3 puts a
 * tag inside the struct that first mentions it, and other compilers may.
 */
final class NestedTags {

    private static final String GCC = "GNU C";
    private static final String CLANG = "clang version ";
    private static final int FIRST_FLAT_GCC = 4;

    /** Longest version of C in a producer of GCC, and longest major version: {@code GNU C17 12.2.0}. */
    private static final int MAX_DIGITS = 3;

    /** GCC repeats every flag. */
    private static final int MAX_PRODUCER_BYTES = 1 << 14;

    private NestedTags() {}

    /** Returns whether structs of a unit may hold types. */
    static boolean mayBeIn(Unit unit, DieNames names) {
        return unit.language().family() != Family.C || !isFlat(producer(unit, names));
    }

    private static String producer(Unit unit, DieNames names) {
        try {
            return unit.producer() == NameRef.NONE ? "" : names.text(unit.producer(), unit, MAX_PRODUCER_BYTES);
        } catch (ExtractionException e) {
            // An unknown compiler may nest tags.
            return "";
        }
    }

    /** Returns whether a producer is known to write no type of C inside another. */
    static boolean isFlat(String producer) {
        if (!producer.startsWith(GCC)) {
            return producer.contains(CLANG);
        }
        int standardEnd = digitsEnd(producer, GCC.length());
        if (standardEnd >= producer.length() || producer.charAt(standardEnd) != ' ') {
            return false;
        }
        int start = standardEnd + 1;
        int end = digitsEnd(producer, start);
        return end > start && Integer.parseInt(producer.substring(start, end)) >= FIRST_FLAT_GCC;
    }

    private static int digitsEnd(String text, int from) {
        int end = from;
        while (end < text.length() && end < from + MAX_DIGITS && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }
}
