package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import org.springframework.http.HttpStatus;

/** Problems of requests about batches. */
final class PrewarmProblems {

    private static final Duration FULL_RETRY_AFTER = Duration.ofSeconds(60);

    private PrewarmProblems() {}

    /**
     * Returns the problem of an invalid batch: 400.
     *
     * @param location of the invalid part, such as {@code builds[3]}
     */
    static ProblemException bad(String location, String detail) {
        return ProblemException.badRequest("bad_prewarm", "The prewarm is invalid", detail)
                .with("place", location);
    }

    /** Returns the problem of a batch that exceeds the limit of waiting builds: 503. */
    static ProblemException full(long waiting, int more, int max) {
        return new ProblemException(Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "prewarms_full",
                        "Too many builds are queued",
                        waiting + " builds are queued; adding " + more + " exceeds the limit of " + max)
                .retryAfter(FULL_RETRY_AFTER));
    }

    /** Returns the problem of an unknown batch: 404. */
    static ProblemException notFound(String id) {
        return ProblemException.notFound(
                "prewarm_not_found", "No such prewarm", "no prewarm has the id " + HostileText.quote(id));
    }
}
