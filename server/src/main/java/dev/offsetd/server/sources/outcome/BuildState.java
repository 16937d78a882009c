package dev.offsetd.server.sources.outcome;

import dev.offsetd.server.operations.Word;

/** State of a build, as stored and as shown by the API. */
public enum BuildState implements Word {
    /** Requested: no attempt has ended yet, or an administrator or corrupt data made the last result void. */
    WANTED,
    /** Its types are stored. */
    EXTRACTED,
    /** Every source that was queried answered that it does not have the build. */
    NOT_FOUND,
    /** A source has a debug file, but no source has a usable one. */
    UNUSABLE,
    /** A source or this server failed, which says nothing about the build. */
    FAILED
}
