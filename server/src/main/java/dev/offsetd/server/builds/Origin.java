package dev.offsetd.server.builds;

import java.util.Locale;

/** What kind of place a debug file is from. */
public enum Origin {
    /** A folder on the machine of a server. */
    LOCAL,
    /** An upstream debuginfod. */
    DEBUGINFOD,
    /** Somebody who uploaded it. */
    UPLOAD;

    /** As the database and answers spell it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Origin ofWord(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
