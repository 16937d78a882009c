package dev.offsetd.server.prewarms;

import java.util.Locale;

/** Where a batch is. */
public enum PrewarmState {
    /** There is something to do still. */
    ACTIVE,
    /** Each item is done, or has failed for good. */
    DONE,
    /** Somebody has ended it; what was in hand then may be going on. */
    CANCELLED;

    /** As the database and answers spell it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static PrewarmState ofWord(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
