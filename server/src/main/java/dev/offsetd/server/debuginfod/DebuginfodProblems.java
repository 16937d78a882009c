package dev.offsetd.server.debuginfod;

import dev.offsetd.server.sources.ForwardedFor;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.web.Problem;
import java.time.Duration;
import org.springframework.http.HttpStatus;

/** Problems of requests for files. */
final class DebuginfodProblems {

    private static final String NO_FILE = "No source has this file";

    private DebuginfodProblems() {}

    /** @param retryAfter time until the sources are asked again */
    static Problem notFound(String detail, Duration retryAfter) {
        return Problem.of(HttpStatus.NOT_FOUND, "file_not_found", NO_FILE, detail)
                .retryAfter(retryAfter)
                .cacheable(retryAfter);
    }

    /** A request that other servers have passed on too often, for a file that is not on this server. */
    static Problem notPassedOn() {
        return Problem.of(
                HttpStatus.NOT_FOUND,
                "file_not_found",
                NO_FILE,
                "this server does not have it, and asks no other: the request was here before, or "
                        + ForwardedFor.HEADER + " has " + ForwardedFor.MAX_HOPS + " entries or more");
    }

    static Problem of(Failure failure, Duration retryAfter) {
        Cause cause = failure.cause();
        return Problem.of(
                        HttpStatus.valueOf(cause.httpStatus()),
                        cause.code(),
                        cause == Cause.TOO_LARGE ? "The file is too large" : "A source failed",
                        failure.detail())
                .retryAfter(retryAfter);
    }

    /** See {@code X-DEBUGINFOD-MAXSIZE}. */
    static Problem largerThan(long maxBytes) {
        return Problem.of(
                HttpStatus.NOT_ACCEPTABLE,
                "larger_than_requested",
                "The file is larger than the request allows",
                "X-DEBUGINFOD-MAXSIZE is " + maxBytes + "; the file has more bytes");
    }

    static Problem outside(long bytes) {
        return Problem.of(
                HttpStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                "range_outside",
                "The range lies outside the file",
                "the file has " + bytes + " bytes");
    }

    static Problem takesLonger(Duration wait, Duration retryAfter) {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "file_in_progress",
                        "The file is being fetched",
                        "it did not arrive within " + wait.toSeconds() + " s; the download goes on")
                .retryAfter(retryAfter);
    }

    static Problem busy(Duration retryAfter) {
        return Problem.busy("too many files are being fetched, or the server is shutting down", retryAfter);
    }
}
