package dev.offsetd.server.database;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * State of the database's disk. After a write failed because the disk is full, it counts as full until a probe can
 * allocate space.
 */
@Component
public class DatabaseDisk {

    /** SQLSTATE (PostgreSQL, appendix A). */
    private static final String DISK_FULL = "53100";

    private static final long PROBE_INTERVAL_NANOS = Duration.ofSeconds(2).toNanos();

    /** 10,000 rows are 44 pages, more than the free space in the pages of a frequently written table. */
    private static final String PROBE = """
            do $$ begin
                create temporary table offsetd_disk_probe on commit drop as
                select n from generate_series(1::bigint, 10000) n;
            end $$
            """;

    private static final Logger log = LoggerFactory.getLogger(DatabaseDisk.class);

    private final Runnable growth;
    private volatile boolean full;
    private volatile long probedAt;

    @Autowired
    DatabaseDisk(ReservedConnections connections) {
        this(() -> connections.jdbc().sql(PROBE).update());
    }

    /** @param growth allocates space on the disk, or fails */
    public DatabaseDisk(Runnable growth) {
        this.growth = growth;
    }

    /** Returns whether the database has refused a write because its disk is full, and no probe has succeeded since. */
    public boolean isFull() {
        return full;
    }

    /** Probes a full disk for free space, at limited intervals. */
    public void probe() {
        if (!full || System.nanoTime() - probedAt < PROBE_INTERVAL_NANOS) {
            return;
        }
        probedAt = System.nanoTime();
        try {
            growth.run();
            log.info("the database's disk has room again");
        } catch (RuntimeException e) {
            if (stateOf(e).filter(DISK_FULL::equals).isPresent()) {
                return;
            }
            // Another failure says nothing about the disk. If it is still full, the next write reports it.
        }
        full = false;
    }

    /** Returns whether the failure was caused by a full disk, and records that. */
    public boolean filledUp(Throwable failure) {
        if (stateOf(failure).filter(DISK_FULL::equals).isEmpty()) {
            return false;
        }
        if (!full) {
            log.error("the database's disk is full: writes are refused until it has room again");
        }
        full = true;
        probedAt = System.nanoTime();
        return true;
    }

    /** Returns the SQLSTATE. Spring and Hibernate wrap the exception that has it. */
    private static Optional<String> stateOf(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof SQLException e && e.getSQLState() != null) {
                return Optional.of(e.getSQLState());
            }
        }
        return Optional.empty();
    }
}
