package dev.offsetd.server.builds;

import java.util.Locale;

/** How far the server got with a build. */
public enum BuildState {
    /** Asked for; no attempt has ended yet. */
    WANTED,
    /** Its types are stored. */
    EXTRACTED,
    /** Every source definitely said no. */
    NOT_FOUND,
    /** A debug file was found, but no source has one that can serve. */
    UNUSABLE,
    /** A source, or we, failed; it says nothing about the build. */
    FAILED;

    /** As the database and answers spell it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static BuildState ofWord(String word) {
        return valueOf(word.toUpperCase(Locale.ROOT));
    }
}
