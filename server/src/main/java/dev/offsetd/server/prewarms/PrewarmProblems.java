package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import org.springframework.http.HttpStatus;

/** Why a batch is refused. */
final class PrewarmProblems {

    private static final Duration FULL_RETRY_AFTER = Duration.ofSeconds(60);

    private PrewarmProblems() {}

    /**
     * A batch that cannot be taken: 400.
     *
     * @param place what is to blame, such as {@code builds[3]}
     */
    static ProblemException bad(String place, String detail) {
        return new ProblemException(
                Problem.of(HttpStatus.BAD_REQUEST, "bad_prewarm", "The prewarm cannot be taken", place + ": " + detail)
                        .with("place", place));
    }

    /** A batch for which there is no room: 503. */
    static ProblemException full(long waiting, int more, int max) {
        return new ProblemException(Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "prewarms_full",
                        "Too many builds wait to be prewarmed",
                        waiting + " builds wait already; with these " + more + " they would be more than " + max)
                .retryAfter(FULL_RETRY_AFTER));
    }

    /** There is no such batch: 404. */
    static ProblemException notFound(String id) {
        return new ProblemException(Problem.of(
                HttpStatus.NOT_FOUND,
                "prewarm_not_found",
                "No such prewarm",
                "no prewarm has the id " + HostileText.quote(id)));
    }
}
