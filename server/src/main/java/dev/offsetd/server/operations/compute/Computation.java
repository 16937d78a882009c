package dev.offsetd.server.operations.compute;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.server.operations.telemetry.WorkContext;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/** Work on a {@link ComputePool}, with a deadline from the time when it starts. */
public final class Computation<T extends @Nullable Object> extends FutureTask<T> {

    private static final long FOREVER = Long.MAX_VALUE;

    private final Duration limit;

    /** The work of the pool that has not ended. */
    private final Set<Computation<?>> unfinished;

    /** The thread that runs the work; null before and after. */
    private volatile @Nullable Thread thread;

    private volatile boolean started;
    private volatile long startedAt;

    /** Time until which the result is wanted, as {@link System#nanoTime()}. */
    private volatile long wantedUntil = FOREVER;

    Computation(Callable<T> work, Duration limit, Set<Computation<?>> unfinished) {
        super(WorkContext.carried(() -> new Deadline(limit).during(work::call)));
        this.limit = limit;
        this.unfinished = unfinished;
        unfinished.add(this);
    }

    @Override
    public void run() {
        startedAt = System.nanoTime();
        started = true;
        thread = Thread.currentThread();
        try {
            super.run();
        } finally {
            thread = null;
            unfinished.remove(this);
        }
    }

    /** Keeps the work from being cancelled as unwanted for at least this time. Without a call, it is wanted until it ends. */
    public synchronized void keepFor(Duration time) {
        long until = System.nanoTime() + time.toNanos();
        wantedUntil = wantedUntil == FOREVER ? until : Math.max(wantedUntil, until);
    }

    /**
     * Waits for the result. If the calling thread is interrupted, the work is cancelled.
     *
     * @throws CancellationException if the work was cancelled, because it ignored its deadline or its result was not wanted any more
     */
    @Override
    public T get() throws ExecutionException, InterruptedException {
        try {
            return super.get();
        } catch (InterruptedException e) {
            cancel(true);
            throw e;
        }
    }

    boolean isStarted() {
        return started;
    }

    boolean isUnwanted() {
        return wantedUntil != FOREVER && System.nanoTime() - wantedUntil > 0;
    }

    /** @param grace time in which the work should notice that its deadline has passed */
    boolean isOverdue(Duration grace) {
        return started && System.nanoTime() - startedAt > limit.plus(grace).toNanos();
    }

    /** Returns the thread that still runs the work; null if none does. */
    @Nullable
    Thread thread() {
        return thread;
    }
}
