package dev.offsetd.server.operations.timers;

import java.util.function.IntSupplier;
import java.util.function.IntUnaryOperator;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Lets one server at a time sweep a table. */
public final class SweepLock {

    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;
    private final long lock;

    /** @param lock number of an advisory lock that is not used elsewhere */
    public SweepLock(JdbcClient jdbc, PlatformTransactionManager transactions, long lock) {
        this.jdbc = jdbc;
        this.transaction = new TransactionTemplate(transactions);
        this.lock = lock;
    }

    /**
     * Sweeps in transactions of bounded size. A long one would keep vacuum, and hold locks that requests wait for.
     *
     * @param rows most rows that a transaction removes
     * @param sweep removes up to that many rows and returns their number
     * @return the number of all removed rows; 0 if another server sweeps right now
     */
    public int inBatches(int rows, IntUnaryOperator sweep) {
        int removed = 0;
        int batch;
        do {
            batch = once(() -> sweep.applyAsInt(rows));
            removed += batch;
        } while (batch >= rows);
        return removed;
    }

    /**
     * Sweeps in one transaction.
     *
     * @param sweep returns the number of rows that it removed
     * @return that number; 0 if another server sweeps right now
     */
    public int once(IntSupplier sweep) {
        return transaction.execute(status -> {
            boolean alone = jdbc.sql("select pg_try_advisory_xact_lock(:lock)")
                    .param("lock", lock)
                    .query(Boolean.class)
                    .single();
            return alone ? sweep.getAsInt() : 0;
        });
    }
}
