package dev.offsetd.extractor.layout;

/**
 * A source language, as a unit names it ({@code DW_AT_language}, DWARF 5 §3.1.1).
 *
 * @param name as answers show it: {@code C11}, {@code C++14}, {@code Rust}; {@code lang-0xN} for a code without a name
 *     here, {@code unknown} for a unit that names none
 * @param family what ranks and filters: dialects of one language share it
 */
public record Language(String name, Family family) implements Comparable<Language> {

    /** Compares by family, then by name. */
    @Override
    public int compareTo(Language other) {
        int families = family.compareTo(other.family);
        return families != 0 ? families : name.compareTo(other.name);
    }

    /** Returns whether it is one of the versions of Fortran. */
    public boolean isFortran() {
        return family == Family.OTHER && name.startsWith("Fortran");
    }

    /** Languages that are told apart when definitions of one name compete. */
    public enum Family {
        C,
        CPP,
        RUST,
        GO,
        OTHER;

        /**
         * Returns whether definitions in this language come before those of other languages (most
         * queries are about C).
         */
        public boolean ranksFirst() {
            return this == C || this == CPP;
        }
    }
}
