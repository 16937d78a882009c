package dev.offsetd.extractor.testkit;

import com.sun.management.ThreadMXBean;
import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Checks that work costs no more than its input warrants: while the input doubles, the processor time of the thread and the
 * bytes that it allocates grow by a factor of at most 2.5. Costs below 200 ms and 64 MiB are not judged: a small input may fit
 * into a cache of the processor and a larger one not, so linear work on them can look quadratic.
 *
 * <p>Both are counted for the thread, so other load does not count. It delays the compilers of the virtual machine, though,
 * and code that is still interpreted costs a multiple: the builds run the fuzz targets with {@code -Xbatch}, where a thread waits
 * until its code is compiled.
 */
public final class CostGrowth {

    private static final double MAX_FACTOR = 2.5;
    private static final long JUDGED_NANOS = Duration.ofMillis(200).toNanos();
    private static final long JUDGED_BYTES = 64L << 20;

    /** Processor time above which growth that looks too fast is worth a larger input. */
    private static final long DOUBTED_NANOS = Duration.ofMillis(50).toNanos();

    private static final Duration MAX_TIME = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final int DOUBLINGS = 3;

    /** Most doublings of an input that is small and costs little. */
    private static final int DOUBLINGS_OF_SMALL = 5;

    /** Most doublings of an input whose cost seems to grow too fast. */
    private static final int MAX_DOUBLINGS = 7;

    private static final long SMALL_BYTES = 1 << 20;

    private static final int RUNS = 3;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private CostGrowth() {}

    /**
     * Bounds of the check itself, whose subject may have no end.
     *
     * @param doublings of an input that costs too little to be judged, at most
     * @param processorTime of a stage, above which the input does not grow further
     * @param timeout for all work on an input
     */
    record Bounds(int doublings, Duration processorTime, Duration timeout) {}

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
     * @param first its size at first; it is doubled three times, up to five times while it is small and costs little, and up to
     *     seven times while its cost seems to grow too fast but is too little to be judged
     */
    public static void requireLinear(String what, int first, Inputs inputs) throws IOException {
        requireLinear(what, first, inputs, new Bounds(MAX_DOUBLINGS, MAX_TIME, PATIENCE));
    }

    /** Requires the same of inputs that are refused, or cut off, if they are doubled more than three times. */
    public static void requireLinearUpToLimit(String what, int first, Inputs inputs) throws IOException {
        requireLinear(what, first, inputs, new Bounds(DOUBLINGS, MAX_TIME, PATIENCE));
    }

    static void requireLinear(String what, int first, Inputs inputs, Bounds bounds) throws IOException {
        List<String> findings = findings(first, inputs, 1, bounds);
        for (int retry = 0; retry < 2 && !findings.isEmpty(); retry++) {
            findings = findings(first, inputs, RUNS, bounds);
        }
        if (!findings.isEmpty()) {
            throw new AssertionError(what + ": " + String.join("; ", findings));
        }
    }

    private static List<String> findings(int first, Inputs inputs, int runs, Bounds bounds) throws IOException {
        // Loads classes.
        costs(inputs.of(first), bounds.timeout);
        List<String> findings = new ArrayList<>();
        List<Measured> all = new ArrayList<>();
        boolean goesOn = true;
        for (int doubling = 0; goesOn && doubling <= bounds.doublings && findings.isEmpty(); doubling++) {
            Measured last = measure(inputs.of(first << doubling), first << doubling, runs, bounds.timeout);
            all.add(last);
            boolean tooLong = last.costs.entrySet().stream()
                    .anyMatch(cost -> cost.getKey().endsWith("ns") && cost.getValue() > bounds.processorTime.toNanos());
            boolean small = last.bytes < SMALL_BYTES && !last.costsMoreThan(DOUBTED_NANOS);
            if (doubling > 1 || tooLong) {
                findings.addAll(judge(all, JUDGED_NANOS));
            }
            goesOn = !tooLong
                    && (doubling < DOUBLINGS
                            || (doubling < DOUBLINGS_OF_SMALL && small)
                            || !judge(all, DOUBTED_NANOS).isEmpty());
        }
        if (!goesOn && all.size() == 1) {
            findings.add("size %d costs %s; expected at most %s, so that its growth can be judged"
                    .formatted(first, all.getFirst().costs, bounds.processorTime));
        }
        return findings;
    }

    /** Does the work in another thread, because it may have no end. */
    private static Map<String, Long> costs(Input input, Duration timeout) throws IOException {
        FutureTask<Map<String, Long>> work = new FutureTask<>(() -> {
            Stages stages = new Stages();
            input.work.run(stages);
            return stages.costs;
        });
        Thread thread = Thread.ofPlatform().daemon().name("cost").start(work);
        try {
            return work.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            AssertionError endless =
                    new AssertionError("work on " + input.bytes + " bytes does not end within " + timeout);
            endless.setStackTrace(thread.getStackTrace());
            throw endless;
        } catch (InterruptedException e) {
            throw (IOException) new InterruptedIOException().initCause(e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failed -> throw failed;
                case RuntimeException failed -> throw failed;
                case Error failed -> throw failed;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    /** @param costs medians by stage and kind of cost */
    private record Measured(int size, long bytes, Map<String, Long> costs) {

        boolean costsMoreThan(long nanos) {
            return costs.entrySet().stream().anyMatch(cost -> cost.getValue() > least(cost.getKey(), nanos));
        }
    }

    private static long least(String stage, long nanos) {
        return stage.endsWith("ns") ? nanos : JUDGED_BYTES;
    }

    private static Measured measure(Input input, int size, int count, Duration timeout) throws IOException {
        List<Map<String, Long>> runs = new ArrayList<>();
        for (int run = 0; run < count; run++) {
            runs.add(costs(input, timeout));
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

    /** @param nanos of processor time, up to which its growth is ignored */
    private static List<String> judge(List<Measured> all, long nanos) {
        Measured first = all.getFirst();
        Measured last = all.getLast();
        double allowed = (double) last.bytes / first.bytes * Math.pow(MAX_FACTOR / 2, all.size() - 1);
        List<String> findings = new ArrayList<>();
        last.costs.forEach((stage, cost) -> {
            long before = Math.max(first.costs.getOrDefault(stage, 0L), 1);
            if (cost > least(stage, nanos) && cost > allowed * before) {
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
