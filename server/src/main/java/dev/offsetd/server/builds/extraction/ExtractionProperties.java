package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.web.DurationText;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Limits of extractions, and retry times.
 *
 * @param maxConcurrent builds in progress at a time; most of that time is spent waiting for upstreams
 * @param maxParsing debug files read at a time; bounds memory and processor time
 * @param heap memory for the data of files being read, see {@link dev.offsetd.extractor.input.HeapBudget}. Each of them has an
 *     equal share; a file that needs more waits until it can have all. Zero means six tenths of the JVM's heap
 * @param maxWaiting builds that may wait in addition; further ones are rejected
 * @param threads threads that read one file; zero means one per processor
 * @param maxExecutable largest executable that is fetched for a build without debug information, since that of a Go program
 *     describes its types; 0 to fetch none
 * @param answerUnstoredFrom size of the debug information, decompressed, from which a build answers before its types are
 *     stored, which may take seconds
 */
@ConfigurationProperties("offsetd.extraction")
record ExtractionProperties(
        @DefaultValue("16") int maxConcurrent,
        @DefaultValue("2") int maxParsing,
        @DefaultValue("0B") DataSize heap,
        @DefaultValue("256") int maxWaiting,
        @DefaultValue("0") int threads,
        @DefaultValue("256MB") DataSize maxExecutable,
        @DefaultValue("8MB") DataSize answerUnstoredFrom,
        @DefaultValue Retry retry,
        @DefaultValue Renewal renewal) {

    ExtractionProperties {
        requirePositive(maxConcurrent, "max-concurrent");
        requirePositive(maxParsing, "max-parsing");
        if (heap.isNegative()) {
            throw new IllegalArgumentException("offsetd.extraction.heap is " + heap + "; expected 0 or more");
        }
        if (heap.toBytes() == 0) {
            heap = DataSize.ofBytes(Runtime.getRuntime().maxMemory() / 10 * 6);
        }
        requirePositive(maxWaiting, "max-waiting");
        if (threads == 0) {
            threads = Runtime.getRuntime().availableProcessors();
        }
        requirePositive(threads, "threads");
        if (maxExecutable.isNegative()) {
            throw new IllegalArgumentException(
                    "offsetd.extraction.max-executable is " + maxExecutable + "; expected 0 or more");
        }
        if (answerUnstoredFrom.isNegative()) {
            throw new IllegalArgumentException(
                    "offsetd.extraction.answer-unstored-from is " + answerUnstoredFrom + "; expected 0 or more");
        }
    }

    /**
     * Time until a source is queried again, by its last outcome. Lists are backoffs: consecutive misses use the entries in turn,
     * and the last entry repeats.
     *
     * @param notFound after a final negative answer
     * @param notFoundElsewhere after a negative answer of a source that queries others and does not report their failures
     * @param notFoundOnDemand after a negative answer of a source that prepares a file on the first request
     * @param notFoundLocally after a lookup in a folder, which is cheap
     * @param unusable after an unusable file
     * @param failed after a failure, which says nothing about the build; spares the source
     * @param notAsked longest time until a source that was skipped counts again
     */
    record Retry(
            @DefaultValue({"10m", "30m", "1h", "24h"}) List<Duration> notFound,
            @DefaultValue({"2m", "10m", "30m", "1h"}) List<Duration> notFoundElsewhere,

            @DefaultValue({"2m", "5m", "10m", "30m", "1h", "24h"})
            List<Duration> notFoundOnDemand,

            @DefaultValue("30s") Duration notFoundLocally,
            @DefaultValue("24h") Duration unusable,
            @DefaultValue("2s") Duration failed,
            @DefaultValue("1m") Duration notAsked) {

        /** After an unusable file that was not verified to be the build's. */
        private static final Duration UNPROVEN = Duration.ofMinutes(5);

        Retry {
            notFound = List.copyOf(notFound);
            notFoundElsewhere = List.copyOf(notFoundElsewhere);
            notFoundOnDemand = List.copyOf(notFoundOnDemand);
            if (notFound.isEmpty() || notFoundElsewhere.isEmpty() || notFoundOnDemand.isEmpty()) {
                throw new IllegalArgumentException(
                        "offsetd.extraction.retry: a list is empty; expected at least one time");
            }
        }

        /**
         * Returns the time after a negative answer of an upstream.
         *
         * @param own the upstream's own backoff; empty for the default
         * @param misses consecutive misses, this one included
         */
        Duration afterNotFound(FetchOutcome.Finality finality, List<Duration> own, int misses) {
            List<Duration> byFinality = switch (finality) {
                case FINAL -> notFound;
                case MAY_HIDE_A_FAILURE -> notFoundElsewhere;
                case MAY_COME_LATER -> notFoundOnDemand;
            };
            List<Duration> backoff = own.isEmpty() ? byFinality : own;
            return backoff.get(Math.clamp(misses - 1, 0, backoff.size() - 1));
        }

        /**
         * Returns the time after a file over the size limit. The build-id of an upstream's file was not read then: it may be any file,
         * so the build is retried sooner.
         */
        Duration afterTooLarge(Origin origin) {
            return origin.isRemote() && unusable.compareTo(UNPROVEN) > 0 ? UNPROVEN : unusable;
        }

        /** @param requested the pause that the upstream requested, or null */
        Duration afterRefusal(@Nullable Duration requested) {
            return requested != null && requested.compareTo(failed) > 0 ? requested : failed;
        }

        /** @param closed time until the skipped source may be queried again */
        Duration afterSkipped(Duration closed) {
            if (closed.compareTo(failed) < 0) {
                return failed;
            }
            return closed.compareTo(notAsked) > 0 ? notAsked : closed;
        }
    }

    /**
     * Renewal of builds that an earlier extractor stored. They answer in the meantime.
     *
     * @param maxConcurrent renewals at a time on each server
     * @param poll interval of the search for such builds
     * @param retry shortest time until the next attempt, if the file was not available
     */
    record Renewal(
            @DefaultValue("2") int maxConcurrent,
            @DefaultValue("10s") Duration poll,
            @DefaultValue("10m") Duration retry) {

        Renewal {
            requirePositive(maxConcurrent, "renewal.max-concurrent");
            if (!poll.isPositive() || !retry.isPositive()) {
                throw new IllegalArgumentException("offsetd.extraction.renewal: poll " + DurationText.of(poll)
                        + ", retry " + DurationText.of(retry) + "; expected more than zero");
            }
        }

        /** Returns a time until the next attempt at a build that answers in the meantime. */
        Duration atLeast(Duration retryAfter) {
            return retryAfter.compareTo(retry) < 0 ? retry : retryAfter;
        }
    }

    private static void requirePositive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(
                    "offsetd.extraction." + name + " is " + value + "; expected more than 0");
        }
    }
}
