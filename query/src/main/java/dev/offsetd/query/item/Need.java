package dev.offsetd.query.item;

import java.util.Locale;

/** Whether a type set requires an entry. */
public enum Need {
    /** The set is not covered without it. */
    REQUIRED,
    OPTIONAL;

    /** Returns the word in set files: {@code required}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
