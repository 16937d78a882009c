package dev.offsetd.server.answers.symbols;

import dev.offsetd.query.answer.FrameStatus;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;

/** The status of all addresses of a build that has no functions and lines here. */
final class FrameStatuses {

    private FrameStatuses() {}

    /** Returns the status for a stored build whose functions and lines are not. */
    static FrameStatus of(Failure failure) {
        if (failure.cause() == Cause.NO_DEBUGINFO) {
            return FrameStatus.NO_DEBUGINFO;
        }
        return failure.cause().state() == BuildState.NOT_FOUND ? FrameStatus.SOURCE_GONE : FrameStatus.FAILED;
    }

    /** Returns the status for a build that a problem of this status and code answers. */
    static FrameStatus of(int httpStatus, String code) {
        if (httpStatus == 404) {
            return FrameStatus.UNKNOWN_BUILD;
        }
        return code.equals(Cause.NO_DEBUGINFO.code()) ? FrameStatus.NO_DEBUGINFO : FrameStatus.FAILED;
    }
}
