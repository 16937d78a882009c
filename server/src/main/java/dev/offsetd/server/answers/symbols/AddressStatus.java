package dev.offsetd.server.answers.symbols;

import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.util.Locale;

/** Whether an address has functions and lines, or why not. */
public enum AddressStatus {
    FOUND,

    /** The address is in a function or a symbol, and belongs to no line. */
    NO_LINE,

    /** The address is in no function, line or symbol. */
    OUTSIDE,

    /** The address is an offset in the file, and the segments of the program are not known. */
    NO_SEGMENTS,

    /** No source has the build. */
    UNKNOWN_BUILD,

    /** The build has neither functions nor lines. */
    NO_DEBUGINFO,

    /** The build is stored, and no source has its debug file any more. */
    SOURCE_GONE,

    /** The build takes longer than the client waits. */
    IN_PROGRESS,

    /** A source or a server failed, or the file is unusable. */
    FAILED;

    /** Returns the spelling in answers. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the status of all addresses of a stored build whose functions and lines are not. */
    static AddressStatus of(Failure failure) {
        if (failure.cause() == Cause.NO_DEBUGINFO) {
            return NO_DEBUGINFO;
        }
        return failure.cause().state() == BuildState.NOT_FOUND ? SOURCE_GONE : FAILED;
    }

    /** Returns the status of all addresses of a build that a problem of this status and code answers. */
    static AddressStatus of(int httpStatus, String code) {
        if (httpStatus == 404) {
            return UNKNOWN_BUILD;
        }
        return code.equals(Cause.NO_DEBUGINFO.code()) ? NO_DEBUGINFO : FAILED;
    }
}
