package dev.offsetd.server.pins;

import java.util.Locale;

/** Change of a pin. */
enum PinAction {
    CREATE,
    EDIT,
    RETIRE,
    RESTORE,
    /** The pin reached its end. */
    EXPIRE,
    /** The pin was copied from another build. */
    COPY,
    /** An administrator accepted the extracted value that the pin overrides. */
    ACKNOWLEDGE;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** Returns the word in the history. */
    String word() {
        return word;
    }

    /** Returns the word in the audit log. */
    String audited() {
        return "pin." + word;
    }
}
