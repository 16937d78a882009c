package dev.offsetd.extractor.input;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * End of the time that a piece of work has, from its first byte to its last. Every loop over something that a file controls
 * checks it, and with it whether the thread was interrupted because its result is not needed any more.
 *
 * <p>Readers of units pass it on. Others check the {@linkplain #checkCurrent() current} one, which the threads that read units
 * have too: they are called through interfaces without it.
 */
public final class Deadline {

    /** {@link LimitExceededException#limit} of the limit on time. */
    public static final String MAX_DURATION = "maxDuration";

    private static final ScopedValue<Deadline> CURRENT = ScopedValue.newInstance();

    private static final int STEPS_PER_CHECK = 256;

    private final Duration limit;
    private final long startNanos;

    /** Checks that the work may still make, if these are its limit. */
    private final @Nullable AtomicInteger checks;

    /** Creates the deadline of work that starts now and may take as long as the reading of a file. */
    public Deadline(Limits limits) {
        this(limits.maxDuration());
    }

    /** Creates the deadline of work that starts now. */
    public Deadline(Duration limit) {
        this(limit, null);
    }

    private Deadline(Duration limit, @Nullable AtomicInteger checks) {
        this.limit = limit;
        this.startNanos = System.nanoTime();
        this.checks = checks;
    }

    /** Creates the end of work by the number of its checks: unlike time, this does not depend on how busy the processors are. */
    public static Deadline afterChecks(int most) {
        return new Deadline(Limits.DEFAULT.maxDuration(), new AtomicInteger(most));
    }

    /** Returns the deadline of the work that the current thread does, or that of work that starts now. */
    public static Deadline currentOr(Limits limits) {
        return CURRENT.isBound() ? CURRENT.get() : new Deadline(limits);
    }

    /** Returns whether the work that the current thread does has a deadline. */
    public static boolean hasCurrent() {
        return CURRENT.isBound();
    }

    /** Runs work with this as its current deadline. */
    public <T extends @Nullable Object, X extends Throwable> T during(ScopedValue.CallableOp<T, X> work) throws X {
        return ScopedValue.where(CURRENT, this).call(work);
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

    /**
     * Throws as {@link #checkCurrent()} does, in a loop whose steps take less time than a check: looks once in some hundred of
     * them.
     *
     * @param step number of the step
     */
    public static void checkCurrent(long step) {
        if (step % STEPS_PER_CHECK == 0) {
            checkCurrent();
        }
    }

    /**
     * Does nothing unless the current thread was interrupted.
     *
     * @throws CancellationException if it was
     */
    public static void checkInterrupt() {
        if (Thread.currentThread().isInterrupted()) {
            throw new CancellationException("the result is not needed any more");
        }
    }

    private boolean isOver() {
        checkInterrupt();
        return spentNanos() > limit.toNanos() || (checks != null && checks.getAndDecrement() <= 0);
    }

    /** Returns the time until the deadline; negative if it has passed. */
    public Duration left() {
        return limit.minusNanos(spentNanos());
    }

    private long spentNanos() {
        return System.nanoTime() - startNanos;
    }
}
