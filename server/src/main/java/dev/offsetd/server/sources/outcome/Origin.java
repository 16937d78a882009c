package dev.offsetd.server.sources.outcome;

import java.util.Locale;

/** Kind of source that a debug file comes from. */
public enum Origin {
    /** A folder on the server's machine. */
    LOCAL,
    /** An upstream debuginfod, or the disk cache of files that upstreams delivered. */
    DEBUGINFOD,
    /** An upload. */
    UPLOAD;

    /** Returns the rank of its files by trust, 0 for the highest: upstreams, local folders, uploads. */
    public int rank() {
        return switch (this) {
            case DEBUGINFOD -> 0;
            case LOCAL -> 1;
            case UPLOAD -> 2;
        };
    }

    /** The spelling in the database and in JSON. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Origin ofWord(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
