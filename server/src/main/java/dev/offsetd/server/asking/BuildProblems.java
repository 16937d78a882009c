package dev.offsetd.server.asking;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildProblem;
import dev.offsetd.server.builds.BuildResource;
import dev.offsetd.server.builds.BuildState;
import dev.offsetd.server.web.Problem;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/** What a build that cannot answer means for the caller. */
final class BuildProblems {

    private static final Duration OTHER_VERSION_RETRY_AFTER = Duration.ofSeconds(30);

    private BuildProblems() {}

    /** The problem of a build whose last attempt ended without anything stored. */
    static Problem of(Build build) {
        BuildProblem problem = build.problem()
                .orElseThrow(() -> new IllegalStateException("build " + build.id() + " is " + build.state()));
        Problem answer = switch (build.state()) {
            case NOT_FOUND ->
                Problem.of(HttpStatus.NOT_FOUND, "build_not_found", "No source has this build", problem.detail())
                        .with("cause", problem.code());
            case UNUSABLE ->
                Problem.of(
                        HttpStatus.UNPROCESSABLE_CONTENT,
                        problem.code(),
                        "The debug file cannot serve",
                        problem.detail());
            case FAILED -> failure(problem);
            case WANTED, EXTRACTED -> throw new IllegalStateException("build " + build.id() + " is " + build.state());
        };
        if (problem.section() != null) {
            answer = answer.with("section", problem.section());
        }
        if (problem.offset() != null) {
            answer = answer.with("offset", problem.offset());
        }
        answer = answer.with("checked", BuildResource.checked(build)).retryAfter(build.retryAfter());
        return build.state() == BuildState.FAILED
                ? answer
                : answer.cacheable(build.retryAfter()).withHeader(HttpHeaders.VARY, CacheHeaders.VARY);
    }

    private static Problem failure(BuildProblem problem) {
        return switch (problem.code()) {
            case "upstream_silent" ->
                Problem.of(
                        HttpStatus.GATEWAY_TIMEOUT,
                        problem.code(),
                        "A source did not answer in time",
                        problem.detail());
            case "upstream_broken", "upstream_refused" ->
                Problem.of(HttpStatus.BAD_GATEWAY, problem.code(), "A source failed", problem.detail());
            case "disk_failed" ->
                Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE, problem.code(), "The server's disk failed", problem.detail());
            default ->
                Problem.of(HttpStatus.INTERNAL_SERVER_ERROR, problem.code(), "A fault of the server", problem.detail());
        };
    }

    /** The problem of what a later version of the server has stored, beside which this one still runs. */
    static Problem storedByLaterVersion(Build build) {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "later_version",
                        "A later version has stored this build",
                        "extractor " + build.extractorVersion() + " has stored it; this server can read what "
                                + OffsetExtractor.VERSION + " and earlier ones store")
                .retryAfter(OTHER_VERSION_RETRY_AFTER);
    }

    /**
     * The problem of a build of which an earlier version has not stored what is asked for. It answers what it can, and what it
     * has must not be thrown away for the rest: its file may be gone.
     */
    static Problem storedByEarlierVersion(Build build) {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "earlier_version",
                        "An earlier version has stored this build",
                        "extractor " + build.extractorVersion()
                                + " has stored it, without what is asked for; it is read"
                                + " anew in the background if its file can be had")
                .retryAfter(OTHER_VERSION_RETRY_AFTER);
    }

    /** The problem of a server that has too much to do. */
    static Problem busy(Duration retryAfter) {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "busy",
                        "The server has too much to do",
                        "too many builds wait to be extracted, or the server is shutting down")
                .retryAfter(retryAfter);
    }
}
