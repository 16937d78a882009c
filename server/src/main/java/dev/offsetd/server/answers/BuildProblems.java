package dev.offsetd.server.answers;

import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildResources;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.web.Problem;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/** Problems of builds that cannot answer a query. */
public final class BuildProblems {

    private static final Duration OTHER_VERSION_RETRY_AFTER = Duration.ofSeconds(30);

    private BuildProblems() {}

    /** Returns the problem of a build whose last attempt failed. */
    public static Problem of(Build build) {
        Failure failure = build.failure();
        if (failure == null) {
            throw new IllegalStateException("build " + build.id() + " is " + build.state());
        }
        Problem answer = problem(build.state(), failure);
        if (failure.section() != null) {
            answer = answer.with("section", failure.section());
        }
        if (failure.offset() != null) {
            answer = answer.with("offset", failure.offset());
        }
        ClaimedName claimed = build.claimedName();
        if (claimed != null) {
            answer = answer.with("claimedName", claimed.name())
                    .with("claimedBy", claimed.by().word());
            String ofPackage = claimed.packageName().orElse(null);
            answer = ofPackage == null ? answer : answer.with("claimedPackage", ofPackage);
        }
        answer = answer.with("checked", BuildResources.checked(build)).retryAfter(build.retryAfter());
        return build.state() == BuildState.FAILED
                ? answer
                : answer.cacheable(build.retryAfter()).withHeader(HttpHeaders.VARY, Answer.VARY);
    }

    private static Problem problem(BuildState state, Failure failure) {
        Cause cause = failure.cause();
        HttpStatus status = HttpStatus.valueOf(cause.httpStatus());
        return state == BuildState.NOT_FOUND
                ? Problem.of(status, "build_not_found", title(cause), failure.detail())
                        .with("cause", cause.code())
                : Problem.of(status, cause.code(), title(cause), failure.detail());
    }

    private static String title(Cause cause) {
        return switch (cause) {
            case NOT_FOUND, INCOMPLETE, NO_SOURCES -> "No source has this build";
            case TOO_LARGE, MALFORMED, UNSUPPORTED, LIMIT_EXCEEDED, NO_DEBUGINFO, WRONG_BUILD_ID ->
                "The debug file is unusable";
            case UPSTREAM_SILENT -> "A source did not answer in time";
            case UPSTREAM_BROKEN, UPSTREAM_REFUSED -> "A source failed";
            case DISK_FAILED -> "The server's disk failed";
            case SERVER_ENDED -> "A server ended while it read the debug file";
            case INTERNAL -> "Internal server error";
        };
    }

    /**
     * Returns the problem of a build stored by a later version of the server that runs beside this one.
     *
     * @param stored version of the part that the query reads
     * @param own version up to which this server reads it
     */
    public static Problem storedByLaterVersion(Object stored, Object own) {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "later_version",
                        "A later version has stored this build",
                        "extractor version " + stored + " stored it; this server reads versions up to " + own)
                .retryAfter(OTHER_VERSION_RETRY_AFTER);
    }

    /**
     * Returns the problem of a build for which an earlier version did not store what the query needs. The stored part
     * is not discarded for the rest, because its file may be gone.
     */
    static Problem storedByEarlierVersion(Build build) {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "earlier_version",
                        "An earlier version has stored this build",
                        "extractor version " + build.versions()
                                + " stored it without the data for this query; it is extracted again in the"
                                + " background if its file is available")
                .retryAfter(OTHER_VERSION_RETRY_AFTER);
    }

    static Problem busy(Duration retryAfter) {
        return Problem.busy("too many builds are queued, or the server is shutting down", retryAfter);
    }
}
