package dev.offsetd.server.extraction;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** When to ask a source again. */
final class RetryTimes {

    private final ExtractionProperties.Retry retry;

    RetryTimes(ExtractionProperties.Retry retry) {
        this.retry = retry;
    }

    /** After a definite no of an upstream; {@code misses} counts this one. */
    Duration afterNotFound(boolean authoritative, int misses) {
        List<Duration> ladder = authoritative ? retry.notFound() : retry.notFoundElsewhere();
        return ladder.get(Math.clamp(misses - 1, 0, ladder.size() - 1));
    }

    /** After a look into a folder. */
    Duration afterNotFoundLocally() {
        return retry.notFoundLocally();
    }

    /** After a file that cannot serve. */
    Duration afterUnusable() {
        return retry.unusable();
    }

    /** After a failure that says nothing about the build. */
    Duration afterFailure() {
        return retry.failed();
    }

    /** After a refusal, which may have said how long to wait. */
    Duration afterRefusal(Optional<Duration> asked) {
        Duration wait = asked.orElse(retry.failed());
        if (wait.compareTo(retry.failed()) < 0) {
            return retry.failed();
        }
        return wait.compareTo(retry.maxRefused()) > 0 ? retry.maxRefused() : wait;
    }
}
