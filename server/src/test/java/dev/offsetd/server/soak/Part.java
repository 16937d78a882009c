package dev.offsetd.server.soak;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** A process of the cluster that is killed and restarted. */
final class Part implements AutoCloseable {

    /** Minimum number of samples in a third, so that a single sample does not decide. */
    private static final int MIN_SAMPLES = 4;

    /** Starts the process and returns once it is usable. */
    @FunctionalInterface
    interface Starter {
        Process start() throws IOException, InterruptedException;
    }

    private final String name;
    private final Supplier<Path> data;
    private final Starter starter;
    private final long graceNanos;

    /** Samples since the last start. */
    private final List<Usage> samples = new ArrayList<>();

    private volatile @Nullable Process process;
    private volatile boolean down = true;
    private volatile long upAt;
    private volatile long killedAt;
    private final AtomicInteger kills = new AtomicInteger();

    /**
     * @param grace time after a start in which other processes may still fail because this one was down
     * @param data returns the folder with the data of the current process
     */
    Part(String name, Duration grace, Supplier<Path> data, Starter starter) {
        this.name = name;
        this.data = data;
        this.starter = starter;
        this.graceNanos = grace.toNanos();
        killedAt = System.nanoTime();
    }

    String name() {
        return name;
    }

    int kills() {
        return kills.get();
    }

    void start() throws IOException, InterruptedException {
        process = starter.start();
        synchronized (samples) {
            samples.clear();
        }
        upAt = System.nanoTime();
        down = false;
    }

    /** Kills the process with SIGKILL. */
    void kill() {
        down = true;
        killedAt = System.nanoTime();
        kills.incrementAndGet();
        close();
    }

    /** Returns whether a request that began at this time may fail because this process is, or was, down. */
    boolean excuses(long beganNanos) {
        return down || beganNanos - upAt < graceNanos;
    }

    /** Returns whether the process was killed since this time. */
    boolean wasKilledSince(long nanos) {
        return killedAt - nanos > 0;
    }

    /** Returns whether the process exited without being killed by the test. */
    boolean hasDied() {
        Process running = process;
        return !down && (running == null || !running.isAlive());
    }

    Optional<Usage> sample() {
        Process running = process;
        Optional<Usage> usage = down || running == null ? Optional.empty() : Usage.of(running.toHandle(), data.get());
        synchronized (samples) {
            usage.ifPresent(samples::add);
        }
        return usage;
    }

    /**
     * Returns the resources whose mean in the last third of the samples exceeds that in the first by more than a
     * margin.
     */
    List<String> leaks() {
        List<Usage> all;
        synchronized (samples) {
            all = List.copyOf(samples);
        }
        int third = all.size() / 3;
        if (third < MIN_SAMPLES) {
            return List.of();
        }
        List<Usage> first = all.subList(0, third);
        List<Usage> last = all.subList(all.size() - third, all.size());
        List<String> leaks = new ArrayList<>();
        // JIT compilers and the caches of code and answers grow for minutes. A leak in every request exceeds this
        // margin within half an hour.
        compare(leaks, "MiB of RSS", mean(first, Usage::rssMebibytes), mean(last, Usage::rssMebibytes), 1.25, 48);
        compare(leaks, "file descriptors", mean(first, Usage::descriptors), mean(last, Usage::descriptors), 1.25, 24);
        compare(leaks, "threads", mean(first, Usage::threads), mean(last, Usage::threads), 1.25, 24);
        compare(leaks, "MiB on disk", mean(first, Usage::diskMebibytes), mean(last, Usage::diskMebibytes), 1.25, 256);
        return leaks;
    }

    private void compare(List<String> leaks, String what, double first, double last, double factor, double more) {
        if (last > first * factor + more) {
            leaks.add("%s: %.0f %s on average in the first third since its start, %.0f in the last"
                    .formatted(name, first, what, last));
        }
    }

    private static double mean(List<Usage> samples, ToLongFunction<Usage> of) {
        return samples.stream().mapToLong(of).average().orElse(0);
    }

    @Override
    public void close() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
    }

    /** Waits until the condition holds. */
    static void await(String what, Duration limit, Supplier<Boolean> works) throws IOException, InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!works.get()) {
            if (System.nanoTime() > end) {
                throw new IOException(what + " did not work within " + limit);
            }
            Thread.sleep(100);
        }
    }
}
