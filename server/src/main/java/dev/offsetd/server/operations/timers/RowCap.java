package dev.offsetd.server.operations.timers;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the rows of a table that clients can fill, between periodic sweeps. It counts the rows that this server added; after
 * each 50th of the limit, the caller that added the last row sweeps before it returns. A sweep reduces the table to nine tenths
 * of the limit, and at most another 50th can be added during it. One server alone therefore stays below the limit, and each
 * further server adds at most two 50ths.
 */
public final class RowCap {

    /** Fewer rows than this do not justify a sweep. */
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
     * @param rows name of the rows for the log
     * @param max the limit
     * @param sweep reduces the table to {@link #target()} rows and returns the number of rows that it removed
     */
    public RowCap(String rows, int max, IntSupplier sweep) {
        this.rows = rows;
        this.step = Math.max(MIN_STEP, max / 50);
        this.target = max - max / 10;
        this.sweep = sweep;
    }

    /** Returns the number of rows that a sweep leaves. */
    public int target() {
        return target;
    }

    /** Counts rows that were added, and sweeps if there are too many. Never fails, because the rows are already stored. */
    public void added(long count) {
        if (added.addAndGet(count) < step) {
            return;
        }
        sweeping.lock();
        try {
            // Another thread may have swept in the meantime.
            if (added.get() >= step) {
                sweep();
            }
        } finally {
            sweeping.unlock();
        }
    }

    /** Sweeps, however few rows were added. */
    public void sweepOnTime() {
        sweeping.lock();
        try {
            sweep();
        } finally {
            sweeping.unlock();
        }
    }

    private void sweep() {
        // The sweep may not see rows added during it, so they count towards the next one.
        added.set(0);
        try {
            int removed = sweep.getAsInt();
            failing = false;
            if (removed > 0) {
                log.info("deleted {} {}", removed, rows);
            }
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("{} cannot be swept: {}", rows, e.toString());
            }
            failing = true;
        }
    }
}
