package dev.offsetd.server.operations.compute;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.query.store.LookUpLimit;
import dev.offsetd.server.operations.telemetry.WorkContext;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Work on a {@link ComputePool}, with a deadline from the time when it starts. */
public final class Computation<T extends @Nullable Object> extends FutureTask<T> {

    private static final long FOREVER = Long.MAX_VALUE;

    private final Supplier<Deadline> deadlines;

    /** The work of the pool that has not ended. */
    private final Set<Computation<?>> unfinished;

    /** The thread that runs the work; null before and after. */
    private volatile @Nullable Thread thread;

    /** Null until the work starts. */
    private volatile @Nullable Deadline deadline;

    /** Time until which the result is wanted, as {@link System#nanoTime()}. */
    private volatile long wantedUntil = FOREVER;

    /** @param deadlines returns the deadline when the work starts */
    Computation(Callable<T> work, Supplier<Deadline> deadlines, Set<Computation<?>> unfinished) {
        super(WorkContext.carried(LookUpLimit.carried(work)));
        this.deadlines = deadlines;
        this.unfinished = unfinished;
        unfinished.add(this);
    }

    /** Runs the work. No-op if it has begun, or was cancelled. */
    @Override
    public void run() {
        Deadline own = begin();
        if (own == null) {
            return;
        }
        try {
            var _ = own.during(() -> {
                super.run();
                return true;
            });
        } finally {
            thread = null;
            unfinished.remove(this);
        }
    }

    /** Ends the work as cancelled too if a part of it that it waits for was cancelled first. */
    @Override
    protected void setException(Throwable failure) {
        if (failure instanceof CancellationException) {
            cancel(false);
        } else {
            super.setException(failure);
        }
    }

    /** Returns the deadline for the only thread that runs the work; null for others. */
    private synchronized @Nullable Deadline begin() {
        if (deadline != null) {
            return null;
        }
        thread = Thread.currentThread();
        Deadline own = deadlines.get();
        deadline = own;
        return own;
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

    /**
     * Waits for the result of work that reads a file as {@link #get()} does, and throws what the work throws.
     *
     * @throws CancellationException if the work was cancelled
     */
    public T getRead() throws IOException, ExtractionException, InterruptedException {
        try {
            return get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case ExtractionException failure -> throw failure;
                case InterruptedException interrupted -> throw interrupted;
                case RuntimeException failure -> throw failure;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException("a file cannot be read", e);
            }
        }
    }

    boolean isStarted() {
        return deadline != null;
    }

    boolean isUnwanted() {
        return wantedUntil != FOREVER && System.nanoTime() - wantedUntil > 0;
    }

    /** @param grace time in which the work should notice that its deadline has passed */
    boolean isOverdue(Duration grace) {
        Deadline own = deadline;
        return own != null && own.left().plus(grace).isNegative();
    }

    /** Returns the thread that still runs the work; null if none does. */
    @Nullable
    Thread thread() {
        return thread;
    }
}
