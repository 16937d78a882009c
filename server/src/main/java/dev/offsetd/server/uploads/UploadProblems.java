package dev.offsetd.server.uploads;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.sources.FileVerification;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.web.Problem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** Problems of refused uploads. */
final class UploadProblems {

    private static final String TITLE = "The file cannot be accepted";
    private static final String SYMBOLS_KEPT = "symbolsKept";
    private static final Duration DISK_RETRY_AFTER = Duration.ofSeconds(30);

    private UploadProblems() {}

    static Problem tooLarge(long limitBytes) {
        return Problem.of(
                        HttpStatus.CONTENT_TOO_LARGE,
                        Cause.TOO_LARGE.code(),
                        "The file is too large",
                        "the file exceeds the limit of " + limitBytes + " bytes")
                .with("limit", limitBytes);
    }

    static Problem badDigest(String header, String reason) {
        return Problem.of(
                HttpStatus.BAD_REQUEST,
                "bad_digest",
                "The digest cannot be read",
                ContentDigest.HEADER + " " + HostileText.quote(header) + ": " + reason + "; expected sha-256=:BASE64:");
    }

    static Problem form(String contentType) {
        return Problem.of(
                HttpStatus.UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "The body is a form",
                "Content-Type " + HostileText.quote(contentType) + "; expected the file as it is");
    }

    static Problem digestMismatch(String sha256, String expected) {
        return refused("digest_mismatch", "the SHA-256 of the body is " + sha256 + "; expected " + expected);
    }

    /** @param symbolsKept whether its symbols were stored */
    static Problem stripped(boolean symbolsKept) {
        Problem problem = refused(
                Cause.NO_DEBUGINFO.code(),
                "the file is stripped: it has neither .debug_info nor .BTF; expected the matching debug file");
        return symbolsKept ? problem.with(SYMBOLS_KEPT, true) : problem;
    }

    /** The problem of a file whose bytes are not those of the program that runs. */
    static Problem notExecutable() {
        return refused(
                "not_executable",
                "the file is a separate debug file or a copy without code; expected the executable or library itself");
    }

    /** The failure of a build whose uploaded file is stripped. */
    static Failure strippedFile() {
        return new Failure(Cause.NO_DEBUGINFO, "the file has neither .debug_info nor .BTF", ".debug_info", null);
    }

    /** The failure of a build whose uploaded file cannot be read. */
    static Failure unreadableFile(ExtractionException e) {
        return Failure.of(cause(e), e);
    }

    /** @param symbolsKept whether its symbols were stored */
    static Problem unreadable(ExtractionException e, boolean symbolsKept) {
        Problem problem =
                refused(cause(e).code(), String.valueOf(e.getMessage())).with("section", e.section());
        if (symbolsKept) {
            problem = problem.with(SYMBOLS_KEPT, true);
        }
        return e.offset() == ExtractionException.NO_OFFSET ? problem : problem.with("offset", e.offset());
    }

    static Problem conflict(UploadOutcome.Refused refused) {
        Problem problem = Problem.of(
                        HttpStatus.CONFLICT,
                        "build_has_another_file",
                        "Another file answers for the build",
                        refused.detail() + "; its SHA-256 is " + refused.sha256())
                .with("reason", refused.reason());
        Boolean differ = refused.layoutsDiffer();
        return differ == null ? problem : problem.with("layoutsDiffer", differ);
    }

    static Problem busy(Duration retryAfter) {
        return Problem.busy("too many files are being received or read, or the build is in progress", retryAfter);
    }

    static Problem disk() {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        Cause.DISK_FAILED.code(),
                        "The server's disk failed",
                        "the file cannot be written to the server's disk or read from it; nothing of it was stored")
                .retryAfter(DISK_RETRY_AFTER);
    }

    /** @param limitBytes the size limit; null if the upload was too slow */
    static Problem notTaken(@Nullable Long limitBytes, String detail) {
        return limitBytes == null
                ? Problem.of(HttpStatus.REQUEST_TIMEOUT, "too_slow", "The body took too long", detail)
                : tooLarge(limitBytes);
    }

    private static Problem refused(String code, String detail) {
        return Problem.of(HttpStatus.UNPROCESSABLE_CONTENT, code, TITLE, detail);
    }

    private static Cause cause(ExtractionException e) {
        Cause cause = Cause.of(e);
        return cause == Cause.MALFORMED && e.section().equals(FileVerification.NOTE_SECTION)
                ? Cause.WRONG_BUILD_ID
                : cause;
    }
}
