package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Time until a source is queried again. */
final class RetryTimes {

    /** After an unusable file that was not verified to be the build's. */
    private static final Duration UNPROVEN = Duration.ofMinutes(5);

    private final ExtractionProperties.Retry retry;

    RetryTimes(ExtractionProperties.Retry retry) {
        this.retry = retry;
    }

    /**
     * Returns the time after a negative answer of an upstream.
     *
     * @param own the upstream's own backoff; empty for the default
     * @param misses consecutive misses, this one included
     */
    Duration afterNotFound(FetchOutcome.Finality finality, List<Duration> own, int misses) {
        List<Duration> byFinality = switch (finality) {
            case FINAL -> retry.notFound();
            case MAY_HIDE_A_FAILURE -> retry.notFoundElsewhere();
            case MAY_COME_LATER -> retry.notFoundOnDemand();
        };
        List<Duration> backoff = own.isEmpty() ? byFinality : own;
        return backoff.get(Math.clamp(misses - 1, 0, backoff.size() - 1));
    }

    Duration afterNotFoundLocally() {
        return retry.notFoundLocally();
    }

    Duration afterUnusable() {
        return retry.unusable();
    }

    /**
     * Returns the time after a file over the size limit. The build-id of an upstream's file was not read then: it may be any file,
     * so the build is retried sooner.
     */
    Duration afterTooLarge(Origin origin) {
        return origin.isRemote() && retry.unusable().compareTo(UNPROVEN) > 0 ? UNPROVEN : retry.unusable();
    }

    Duration afterFailure() {
        return retry.failed();
    }

    /** @param requested the pause that the upstream requested, or null */
    Duration afterRefusal(@Nullable Duration requested) {
        return requested != null && requested.compareTo(retry.failed()) > 0 ? requested : retry.failed();
    }

    /** @param closed time until the skipped source may be queried again */
    Duration afterSkipped(Duration closed) {
        if (closed.compareTo(retry.failed()) < 0) {
            return retry.failed();
        }
        return closed.compareTo(retry.notAsked()) > 0 ? retry.notAsked() : closed;
    }
}
