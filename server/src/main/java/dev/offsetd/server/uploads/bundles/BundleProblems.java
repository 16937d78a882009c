package dev.offsetd.server.uploads.bundles;

import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import org.springframework.http.HttpStatus;

/** Problems of refused imports. */
final class BundleProblems {

    private static final String TITLE = "The import cannot be accepted";
    private static final Duration DISK_RETRY_AFTER = Duration.ofSeconds(30);

    private BundleProblems() {}

    static ProblemException badBundle(String detail) {
        return ProblemException.of(HttpStatus.UNPROCESSABLE_CONTENT, "bad_bundle", TITLE, detail);
    }

    /** The problem of an invalid query. */
    static ProblemException badQuery(String code, String detail) {
        return ProblemException.badRequest(code, TITLE, detail);
    }

    static ProblemException tooLarge(long limitBytes) {
        return ProblemException.of(
                        HttpStatus.CONTENT_TOO_LARGE,
                        "too_large",
                        TITLE,
                        "the archive exceeds the limit of " + limitBytes + " bytes")
                .with("limit", limitBytes);
    }

    static ProblemException tooSlow(String detail) {
        return ProblemException.of(HttpStatus.REQUEST_TIMEOUT, "too_slow", TITLE, detail);
    }

    static ProblemException busy(Duration retryAfter) {
        return new ProblemException(Problem.busy("another import is in progress", retryAfter));
    }

    static ProblemException disk() {
        return new ProblemException(Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        Cause.DISK_FAILED.code(),
                        "The server's disk failed",
                        "the archive cannot be written to the server's disk; nothing of it was stored")
                .retryAfter(DISK_RETRY_AFTER));
    }
}
