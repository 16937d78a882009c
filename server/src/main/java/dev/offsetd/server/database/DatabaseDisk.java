package dev.offsetd.server.database;

import dev.offsetd.server.web.Causes;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * The disk of the database. Once a write was refused because it is full, the server says so until a temporary table has
 * been able to take more of it.
 */
@Component
public class DatabaseDisk {

    /** SQLSTATE (PostgreSQL, appendix A). */
    private static final String DISK_FULL = "53100";

    private static final long PROBE_INTERVAL_NANOS = Duration.ofSeconds(2).toNanos();

    /** 10,000 rows are 44 pages: more than what is free in the pages of a table that is written often. */
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

    /** @param growth takes more of the disk, or fails */
    DatabaseDisk(Runnable growth) {
        this.growth = growth;
    }

    /** Returns whether the database has refused a write because its disk is full, and no probe has succeeded since. */
    public boolean isFull() {
        return full;
    }

    /** Looks whether a disk that was full has room again, now and then. Called at short intervals. */
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
            // Any other failure is no word about the disk; the next write that is refused is.
        }
        full = false;
    }

    /** Returns whether the failure says that the disk is full. Remembers it if so. */
    boolean filledUp(Throwable failure) {
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

    /** The SQLSTATE, which Spring's and Hibernate's exceptions have among their causes; a commit's only there. */
    private static Optional<String> stateOf(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof SQLException e && e.getSQLState() != null) {
                return Optional.of(e.getSQLState());
            }
        }
        return Optional.empty();
    }
}
