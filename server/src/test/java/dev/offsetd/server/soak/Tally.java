package dev.offsetd.server.soak;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Counts of requests by operation and by result, and how long they took. */
final class Tally {

    /** Four buckets for each doubling of a microsecond: a percentile is exact to a fifth. */
    private static final int BUCKETS_PER_DOUBLING = 4;

    private static final int BUCKETS = 32 * BUCKETS_PER_DOUBLING;

    private final Map<String, Times> operations = new ConcurrentSkipListMap<>();
    private final Map<String, LongAdder> results = new ConcurrentSkipListMap<>();

    private static final class Times {

        private final AtomicLongArray buckets = new AtomicLongArray(BUCKETS);

        private void add(long nanos) {
            double micros = Math.max(1, nanos / 1000.0);
            int bucket = (int) (Math.log(micros) / Math.log(2) * BUCKETS_PER_DOUBLING);
            buckets.incrementAndGet(Math.min(BUCKETS - 1, bucket));
        }

        private long count() {
            long count = 0;
            for (int i = 0; i < BUCKETS; i++) {
                count += buckets.get(i);
            }
            return count;
        }

        private double percentileMillis(double share) {
            long rank = (long) Math.ceil(count() * share);
            long seen = 0;
            for (int i = 0; i < BUCKETS; i++) {
                seen += buckets.get(i);
                if (seen >= rank) {
                    return Math.pow(2, (i + 1.0) / BUCKETS_PER_DOUBLING) / 1000;
                }
            }
            return 0;
        }
    }

    void add(String operation, String result, long nanos) {
        operations.computeIfAbsent(operation, _ -> new Times()).add(nanos);
        results.computeIfAbsent(result, _ -> new LongAdder()).increment();
    }

    long requests() {
        return operations.values().stream().mapToLong(Times::count).sum();
    }

    /** Results with their counts, in one line. */
    String results() {
        return results.entrySet().stream()
                .map(result -> result.getKey() + ": " + result.getValue())
                .collect(Collectors.joining(", "));
    }

    /** A table of operations, in Markdown. */
    String table(Duration time) {
        StringBuilder table = new StringBuilder("| operation | requests | a second | p50, ms | p99, ms |\n")
                .append("|---|--:|--:|--:|--:|\n");
        operations.forEach((operation, times) -> table.append(String.format(
                Locale.ROOT,
                "| %s | %,d | %.1f | %.1f | %.1f |%n",
                operation,
                times.count(),
                times.count() / (time.toMillis() / 1000.0),
                times.percentileMillis(0.5),
                times.percentileMillis(0.99))));
        return table.toString();
    }
}
