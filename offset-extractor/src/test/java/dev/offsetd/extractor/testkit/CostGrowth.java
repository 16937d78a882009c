package dev.offsetd.extractor.testkit;

import com.sun.management.ThreadMXBean;
import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks that work costs no more than its input warrants: while the input doubles, the processor time of the thread and the
 * bytes that it allocates grow by a factor of at most 2.5. Other load does not matter, because both are counted for the thread.
 * Costs below 50 ms and 64 MiB are not judged.
 */
public final class CostGrowth {

    private static final double MAX_FACTOR = 2.5;
    private static final long JUDGED_NANOS = Duration.ofMillis(50).toNanos();
    private static final long JUDGED_BYTES = 64L << 20;

    /** Cost at which the input does not grow further. */
    private static final long MAX_NANOS = Duration.ofSeconds(5).toNanos();

    private static final int DOUBLINGS = 3;
    private static final int RUNS = 3;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private CostGrowth() {}

    /**
     * An input and the work on it.
     *
     * @param bytes the size of the input
     */
    public record Input(long bytes, Work work) {}

    /** Makes inputs of some size. */
    @FunctionalInterface
    public interface Inputs {
        Input of(int size) throws IOException;
    }

    /** Work on an input. */
    @FunctionalInterface
    public interface Work {
        void run(Stages stages) throws IOException;
    }

    /** Part of the work on an input. */
    @FunctionalInterface
    public interface Stage<T> {
        T run() throws IOException, ExtractionException;
    }

    /** Cost of each part of the work on one input. */
    public static final class Stages {

        private final Map<String, Long> costs = new LinkedHashMap<>();

        private Stages() {}

        /** Measures a part of the work; returns empty if the input is refused. */
        public <T> Optional<T> measure(String name, Stage<T> stage) throws IOException {
            long allocated = THREADS.getCurrentThreadAllocatedBytes();
            long start = THREADS.getCurrentThreadCpuTime();
            Optional<T> result;
            try {
                result = Optional.of(stage.run());
            } catch (ExtractionException e) {
                result = Optional.empty();
            }
            costs.merge(name + ", ns", THREADS.getCurrentThreadCpuTime() - start, Long::sum);
            costs.merge(name + ", bytes", THREADS.getCurrentThreadAllocatedBytes() - allocated, Long::sum);
            return result;
        }
    }

    /**
     * Requires that the cost of each stage grows with the input. Each size is measured once; if one costs too much, all are
     * measured again, as medians of three runs, and once more before the check fails.
     *
     * @param what the input, for messages
     * @param first its size at first; it is doubled three times
     */
    public static void requireLinear(String what, int first, Inputs inputs) throws IOException {
        List<String> findings = findings(first, inputs, 1);
        for (int retry = 0; retry < 2 && !findings.isEmpty(); retry++) {
            findings = findings(first, inputs, RUNS);
        }
        if (!findings.isEmpty()) {
            throw new AssertionError(what + ": " + String.join("; ", findings));
        }
    }

    private static List<String> findings(int first, Inputs inputs, int runs) throws IOException {
        // Loads classes.
        inputs.of(first).work.run(new Stages());
        List<String> findings = new ArrayList<>();
        List<Measured> all = new ArrayList<>();
        for (int doubling = 0; doubling <= DOUBLINGS && findings.isEmpty(); doubling++) {
            Measured last = measure(first << doubling, inputs, runs);
            all.add(last);
            boolean goesOn = last.costs.entrySet().stream()
                    .noneMatch(cost -> cost.getKey().endsWith("ns") && cost.getValue() > MAX_NANOS);
            if (doubling > 1 || !goesOn) {
                findings.addAll(judge(all));
            }
        }
        return findings;
    }

    /** @param costs medians by stage and kind of cost */
    private record Measured(int size, long bytes, Map<String, Long> costs) {}

    private static Measured measure(int size, Inputs inputs, int count) throws IOException {
        Input input = inputs.of(size);
        List<Map<String, Long>> runs = new ArrayList<>();
        for (int run = 0; run < count; run++) {
            Stages stages = new Stages();
            input.work.run(stages);
            runs.add(stages.costs);
        }
        Map<String, Long> medians = new LinkedHashMap<>();
        for (String stage : runs.getFirst().keySet()) {
            medians.put(
                    stage,
                    runs.stream()
                            .map(costs -> costs.getOrDefault(stage, 0L))
                            .sorted()
                            .toList()
                            .get(count / 2));
        }
        return new Measured(size, input.bytes, medians);
    }

    private static List<String> judge(List<Measured> all) {
        Measured first = all.getFirst();
        Measured last = all.getLast();
        double allowed = (double) last.bytes / first.bytes * Math.pow(MAX_FACTOR / 2, all.size() - 1);
        List<String> findings = new ArrayList<>();
        last.costs.forEach((stage, cost) -> {
            long judged = stage.endsWith("ns") ? JUDGED_NANOS : JUDGED_BYTES;
            long before = Math.max(first.costs.getOrDefault(stage, 0L), 1);
            if (cost > judged && cost > allowed * before) {
                findings.add("%s: %s for sizes %s of %s bytes; expected growth by a factor of at most %.1f"
                        .formatted(
                                stage,
                                all.stream().map(each -> each.costs.get(stage)).toList(),
                                all.stream().map(Measured::size).toList(),
                                all.stream().map(Measured::bytes).toList(),
                                allowed));
            }
        });
        return findings;
    }
}
