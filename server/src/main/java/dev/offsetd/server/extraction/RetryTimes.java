package dev.offsetd.server.extraction;

import dev.offsetd.server.fetch.FetchOutcome;
import dev.offsetd.server.outcome.Origin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** When to ask a source again. */
final class RetryTimes {

    /** After a file that cannot serve, and that nothing shows to be the build's. */
    private static final Duration UNPROVEN = Duration.ofMinutes(5);

    private final ExtractionProperties.Retry retry;

    RetryTimes(ExtractionProperties.Retry retry) {
        this.retry = retry;
    }

    /**
     * After a no of an upstream; {@code misses} counts this one.
     *
     * @param own the upstream's own ladder; empty if it has none
     */
    Duration afterNotFound(FetchOutcome.Finality finality, List<Duration> own, int misses) {
        List<Duration> usual = switch (finality) {
            case LAST_WORD -> retry.notFound();
            case MAY_HIDE_A_FAILURE -> retry.notFoundElsewhere();
            case MAY_COME_LATER -> retry.notFoundOnDemand();
        };
        List<Duration> ladder = own.isEmpty() ? usual : own;
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

    /**
     * After a file over the size limit. What an upstream sends too much of has no build-id that was read: it may be any
     * file, or none, and another source's file must not wait for it long.
     */
    Duration afterTooLarge(Origin origin) {
        return origin == Origin.LOCAL || retry.unusable().compareTo(UNPROVEN) < 0 ? retry.unusable() : UNPROVEN;
    }

    /** After a failure that says nothing about the build. */
    Duration afterFailure() {
        return retry.failed();
    }

    /** After a refusal, which may have said how long to wait. */
    Duration afterRefusal(Optional<Duration> asked) {
        return asked.filter(wait -> wait.compareTo(retry.failed()) > 0).orElse(retry.failed());
    }

    /** After a source was passed over that may be asked again in so long. */
    Duration afterNotAsked(Duration closed) {
        if (closed.compareTo(retry.failed()) < 0) {
            return retry.failed();
        }
        return closed.compareTo(retry.notAsked()) > 0 ? retry.notAsked() : closed;
    }
}
