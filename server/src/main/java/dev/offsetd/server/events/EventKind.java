package dev.offsetd.server.events;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Kinds of events. */
public enum EventKind {

    /** The types of a build are stored for the first time. */
    BUILD_STORED,

    /** A build has the items of a watched type set where the build before it has them. */
    UNCHANGED,

    /** Items of a watched type set moved, or nothing vouches yet for the version of the build. */
    DRIFT,

    /** A build lacks a required item of a watched type set that the build before it has. */
    ITEM_MISSING,

    /** A run of a watch failed. */
    WATCH_FAILED,

    /** Clients have asked often for a build that no source has. */
    UNMET_DEMAND;

    /** Returns the word in answers and in the database. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<EventKind> ofWord(String word) {
        return Arrays.stream(values()).filter(kind -> kind.word().equals(word)).findFirst();
    }
}
