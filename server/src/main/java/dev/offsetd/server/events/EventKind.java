package dev.offsetd.server.events;

import dev.offsetd.server.operations.Word;

/** Kinds of events. */
public enum EventKind implements Word {

    /** The types of a build that had none are stored. */
    BUILD_STORED,

    /** A build has the items of a watched type set as the build before it has them. */
    UNCHANGED,

    /** Items of a watched type set are others than in the build before. */
    DRIFT,

    /** A build lacks a required item of a watched type set that the build before it has. */
    ITEM_MISSING,

    WATCH_FAILED,

    /** Clients have asked often for a build that no source has. */
    UNMET_DEMAND
}
