package dev.offsetd.server.extraction;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * How much is done at a time, and when a source is asked again.
 *
 * @param maxConcurrent builds worked on at a time; most of that is waiting for upstreams
 * @param maxParsing of them, debug files read at a time: this bounds memory and processor time
 * @param heap memory for what is kept of files while they are read, see {@link dev.offsetd.extractor.input.HeapBudget};
 *     each of those read at a time has an equal share, one that needs more waits until it can have all. Zero stands for
 *     six tenths of the heap
 * @param maxWaiting builds, beyond those, that may wait for their turn; one more is turned away
 * @param threads threads that read one file
 * @param retry when to ask again
 * @param renewal what is done about builds that an earlier extractor has stored
 */
@ConfigurationProperties("offsetd.extraction")
record ExtractionProperties(
        @DefaultValue("16") int maxConcurrent,
        @DefaultValue("2") int maxParsing,
        @DefaultValue("0B") DataSize heap,
        @DefaultValue("256") int maxWaiting,
        @DefaultValue("0") int threads,
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
    }

    /**
     * Time until a source is asked again, by what it said. Lists are ladders: the first miss waits the first time, each
     * further miss the next, the last time stays.
     *
     * @param notFound after a definite no that is the source's last word
     * @param notFoundElsewhere after a no of a source that asks others itself, and says no for their failures too
     * @param notFoundOnDemand after a no of a source that gets a file ready once it was asked for it
     * @param notFoundLocally after a look into a folder, which costs next to nothing
     * @param unusable after a file that cannot serve
     * @param failed after a failure; only to be polite, it says nothing about the build
     * @param notAsked longest time until a source counts again that was not asked because it did not work
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

        Retry {
            notFound = List.copyOf(notFound);
            notFoundElsewhere = List.copyOf(notFoundElsewhere);
            notFoundOnDemand = List.copyOf(notFoundOnDemand);
            if (notFound.isEmpty() || notFoundElsewhere.isEmpty() || notFoundOnDemand.isEmpty()) {
                throw new IllegalArgumentException(
                        "offsetd.extraction.retry: a ladder is empty; expected one time at least");
            }
        }
    }

    /**
     * How builds that an earlier extractor has stored are extracted anew. They answer all the while.
     *
     * @param maxConcurrent at a time and server
     * @param poll time between looking whether there are any
     * @param retry least time until one is tried again whose file could not be had
     */
    record Renewal(
            @DefaultValue("2") int maxConcurrent,
            @DefaultValue("10s") Duration poll,
            @DefaultValue("10m") Duration retry) {

        Renewal {
            requirePositive(maxConcurrent, "renewal.max-concurrent");
            if (!poll.isPositive() || !retry.isPositive()) {
                throw new IllegalArgumentException(
                        "offsetd.extraction.renewal: poll " + poll + ", retry " + retry + "; expected more than zero");
            }
        }
    }

    private static void requirePositive(int value, String name) {
        if (value <= 0) {
            throw new IllegalArgumentException(
                    "offsetd.extraction." + name + " is " + value + "; expected more than 0");
        }
    }
}
