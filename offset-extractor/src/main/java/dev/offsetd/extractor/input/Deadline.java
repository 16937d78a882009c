package dev.offsetd.extractor.input;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * End of the time that a piece of work has, from its first byte to its last. Every loop over something that a file controls
 * checks it, and with it whether the thread was interrupted because its result is not needed any more. Immutable.
 *
 * <p>Readers pass it on, because several threads read a file. Writers and renderers use one thread and are called through
 * interfaces without it: they check the {@linkplain #checkCurrent() current} one.
 */
public final class Deadline {

    /** {@link LimitExceededException#limit} of the limit on time. */
    public static final String MAX_DURATION = "maxDuration";

    private static final ScopedValue<Deadline> CURRENT = ScopedValue.newInstance();

    private final Duration limit;
    private final long startNanos;

    /** Creates the deadline of work that starts now and may take as long as the reading of a file. */
    public Deadline(Limits limits) {
        this(limits.maxDuration());
    }

    /** Creates the deadline of work that starts now. */
    public Deadline(Duration limit) {
        this.limit = limit;
        this.startNanos = System.nanoTime();
    }

    /** Returns the deadline of the work that the current thread does, or that of work that starts now. */
    public static Deadline currentOr(Limits limits) {
        return CURRENT.isBound() ? CURRENT.get() : new Deadline(limits);
    }

    /** Runs work with this as its current deadline. */
    public <T extends @Nullable Object> T during(Callable<T> work) throws Exception {
        return ScopedValue.where(CURRENT, this).call(work::call);
    }

    /**
     * Throws if the deadline has passed.
     *
     * @param section that is being read
     * @throws CancellationException if the current thread was interrupted
     */
    public void check(String section) throws LimitExceededException {
        if (isOver()) {
            throw new LimitExceededException(
                    section,
                    ExtractionException.NO_OFFSET,
                    MAX_DURATION,
                    limit.toMillis(),
                    spentNanos() / 1_000_000 + " milliseconds; the file is not read to its end");
        }
    }

    /**
     * Throws if the deadline of the current thread's work has passed. No-op without one.
     *
     * @throws DeadlineExceededException if it has passed
     * @throws CancellationException if the current thread was interrupted
     */
    public static void checkCurrent() {
        if (CURRENT.isBound() && CURRENT.get().isOver()) {
            throw new DeadlineExceededException(CURRENT.get().limit);
        }
    }

    private boolean isOver() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("the result is not needed any more");
        }
        return spentNanos() > limit.toNanos();
    }

    private long spentNanos() {
        return System.nanoTime() - startNanos;
    }
}
