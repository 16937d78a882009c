package dev.offsetd.server.builds;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds a table to a number of rows between the sweeps that come with time, whatever callers make up. Counts the rows that
 * this server added; after every 25th part of the limit, whoever added the last one sweeps before going on. A sweep brings
 * the table down to nine tenths of the limit, and while it is under way no more than another 25th can be added. So one
 * server alone stays below the limit, and each further one adds two 25ths of it at most.
 */
public final class RowCap {

    /** Fewer rows than this are not worth a sweep of their own. */
    private static final int MIN_STEP = 10;

    private static final Logger log = LoggerFactory.getLogger(RowCap.class);

    private final String rows;
    private final int step;
    private final int target;
    private final IntSupplier sweep;
    private final AtomicLong added = new AtomicLong();
    private final ReentrantLock sweeping = new ReentrantLock();

    /** Whether the last sweep failed; guarded by {@link #sweeping}. */
    private boolean failing;

    /**
     * @param rows what the rows are, for the log
     * @param max the limit
     * @param sweep brings the table down to {@link #target()} and says how many rows it removed
     */
    public RowCap(String rows, int max, IntSupplier sweep) {
        this.rows = rows;
        this.step = Math.max(MIN_STEP, max / 25);
        this.target = max - max / 10;
        this.sweep = sweep;
    }

    /** Rows that a sweep leaves. */
    public int target() {
        return target;
    }

    /** Tells of rows that were added, and sweeps if they were too many. Never fails: the rows are there already. */
    public void added(long count) {
        if (added.addAndGet(count) < step) {
            return;
        }
        sweeping.lock();
        try {
            // Somebody else may have swept while this one waited.
            if (added.get() >= step) {
                sweep();
            }
        } finally {
            sweeping.unlock();
        }
    }

    /** Sweeps because it is time. */
    public void sweepOnTime() {
        sweeping.lock();
        try {
            sweep();
        } finally {
            sweeping.unlock();
        }
    }

    private void sweep() {
        // Rows that come while the sweep is under way may not be seen by it, so they count for the next one.
        added.set(0);
        try {
            int removed = sweep.getAsInt();
            failing = false;
            if (removed > 0) {
                log.info("{} {} are forgotten", removed, rows);
            }
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("{} cannot be swept: {}", rows, e.toString());
            }
            failing = true;
        }
    }
}
