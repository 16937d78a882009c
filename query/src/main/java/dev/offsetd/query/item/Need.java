package dev.offsetd.query.item;

import java.util.Locale;

/** How much a type set needs one of its entries. */
public enum Need {
    /** Without it the set is not covered. */
    REQUIRED,
    OPTIONAL;

    /** As set files spell it: {@code required}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
