package dev.offsetd.server.pins;

import java.util.Locale;

/** What was done to a pin. */
enum Action {
    CREATE,
    EDIT,
    RETIRE,
    RESTORE,
    /** Its time was over. */
    EXPIRE,
    /** It was made after one of another build. */
    COPY;

    private final String word = name().toLowerCase(Locale.ROOT);

    /** As its history has it. */
    String word() {
        return word;
    }

    /** As the audit has it. */
    String audited() {
        return "pin." + word;
    }
}
