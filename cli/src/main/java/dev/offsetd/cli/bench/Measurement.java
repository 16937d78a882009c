package dev.offsetd.cli.bench;

import java.util.Arrays;
import java.util.OptionalDouble;

/**
 * Result of repeated runs.
 *
 * @param runs measured runs, without the warm-up
 * @param minMillis wall time of the fastest run
 * @param medianMillis median of the wall times
 * @param maxMillis wall time of the slowest run
 * @param megabytesPerSecond size of {@code .debug_info}, in units of 1,000,000 bytes, over the median; empty if it was not read
 *     to its end
 * @param peakHeapBytes sum of the peak use of the heap's pools, garbage included
 * @param peakRssAnonBytes maximum of {@code RssAnon} in separate runs; -1 without {@code /proc}
 */
record Measurement(
        String name,
        int runs,
        double minMillis,
        double medianMillis,
        double maxMillis,
        OptionalDouble megabytesPerSecond,
        long peakHeapBytes,
        long peakRssAnonBytes) {

    /** Stands for the size of {@code .debug_info} if the run stops before its end. */
    static final long NOT_READ_WHOLE = -1;

    /**
     * @param nanos wall time of each run, at least one
     * @param debugInfoBytes decompressed size of {@code .debug_info}, or {@link #NOT_READ_WHOLE}
     */
    static Measurement of(String name, long[] nanos, long debugInfoBytes, long peakHeapBytes, long peakRssAnonBytes) {
        long[] sorted = nanos.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0;
        return new Measurement(
                name,
                sorted.length,
                sorted[0] / 1e6,
                median / 1e6,
                sorted[sorted.length - 1] / 1e6,
                debugInfoBytes == NOT_READ_WHOLE
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(debugInfoBytes / 1e6 / (median / 1e9)),
                peakHeapBytes,
                peakRssAnonBytes);
    }
}
