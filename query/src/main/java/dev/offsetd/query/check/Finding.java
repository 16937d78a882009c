package dev.offsetd.query.check;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result for one thing that a consumer needs.
 *
 * @param name an item, or a name of a name map
 * @param kind of a relocation, such as {@code field_byte_offset}; null for items and names
 * @param detail the reason in a few words; null if it is resolved
 */
public record Finding(
        String name,
        @Nullable String kind,
        Status status,
        @Nullable String detail) {

    /** Characters in a report without the texts. */
    private static final long OTHER_CHARACTERS = 80;

    /** Returns about how many characters this has in a report. */
    public long characters() {
        return OTHER_CHARACTERS + name.length() + (detail == null ? 0 : detail.length());
    }

    /** Statuses of a finding. */
    public enum Status {
        /** The build has it. */
        RESOLVED,
        /** The build lacks it, and the consumer asks first, or does not require it. */
        ABSENT_GUARDED,
        /** The build lacks it. */
        ABSENT,
        /** The build has several that differ. */
        AMBIGUOUS,
        /** The value is not that of the reference build. */
        DIFFERS;

        /** Returns the word in answers: {@code absent_guarded}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns whether the consumer does not work with the build. */
        public boolean fails(boolean strict) {
            return switch (this) {
                case RESOLVED -> false;
                case ABSENT_GUARDED -> strict;
                case ABSENT, AMBIGUOUS, DIFFERS -> true;
            };
        }
    }
}
