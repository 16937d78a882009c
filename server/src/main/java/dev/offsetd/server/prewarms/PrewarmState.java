package dev.offsetd.server.prewarms;

import java.util.Locale;

/** State of a batch. */
public enum PrewarmState {
    /** An item has no result yet. */
    ACTIVE,
    /** All items are done or have failed. */
    DONE,
    /** An administrator cancelled it; items that were running may continue. */
    CANCELLED;

    /** Returns the spelling in the database and in answers. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static PrewarmState ofWord(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
