package dev.offsetd.server.sources.outcome;

import java.util.Locale;

/** State of a build, as stored and as shown by the API. */
public enum BuildState {
    /** Requested: no attempt has ended yet, or an administrator or corrupt data made the last result void. */
    WANTED,
    /** Its types are stored. */
    EXTRACTED,
    /** Every source that was queried answered that it does not have the build. */
    NOT_FOUND,
    /** A source has a debug file, but no source has a usable one. */
    UNUSABLE,
    /** A source or this server failed, which says nothing about the build. */
    FAILED;

    /** The spelling in the database and in JSON. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static BuildState ofWord(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
