package dev.offsetd.server.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.util.List;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Connections beside the pool for the short statements of leases, tokens and change polling. They must not wait for the pool,
 * which may be exhausted or hang.
 */
@Component
public class ReservedConnections implements DisposableBean {

    /** A connection per thread that may need one: heartbeat, changes, work of other servers, progress, readiness, tokens. */
    private static final int CONNECTIONS = 6;

    /** Longest wait for data from the database, in seconds. */
    private static final int SOCKET_TIMEOUT_SECONDS = 2;

    private final HikariDataSource pool;
    private final HikariDataSource connections;
    private final JdbcClient jdbc;
    private final TransactionTemplate transaction;

    /** Whether the last check reached the primary. */
    private volatile boolean primary = true;

    /** @param pool of the same database */
    public ReservedConnections(HikariDataSource pool) {
        this.pool = pool;
        HikariConfig reserved = new HikariConfig();
        pool.copyStateTo(reserved);
        reserved.setPoolName("reserved");
        reserved.setMaximumPoolSize(CONNECTIONS);
        reserved.setMinimumIdle(1);
        // Set in the URL, because the properties object is shared with the pool.
        reserved.setJdbcUrl(pool.getJdbcUrl() + (pool.getJdbcUrl().contains("?") ? "&" : "?") + "socketTimeout="
                + SOCKET_TIMEOUT_SECONDS);
        connections = new HikariDataSource(reserved);
        jdbc = JdbcClient.create(connections);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(connections));
    }

    public JdbcClient jdbc() {
        return jdbc;
    }

    public TransactionTemplate transaction() {
        return transaction;
    }

    /**
     * Returns whether the database is a standby, which refuses writes. If it is, its connections are replaced, also those of the
     * pool: the name or balancer that led to it leads to the primary by now, or soon.
     */
    public boolean leadToStandby() {
        boolean before = primary;
        primary = false;
        boolean standby =
                jdbc.sql("select pg_is_in_recovery()").query(Boolean.class).single();
        // Also when the primary is reached after a failed check: the pool may have connected to the standby meanwhile.
        if (standby || !before) {
            for (HikariDataSource each : List.of(pool, connections)) {
                each.getHikariPoolMXBean().softEvictConnections();
            }
        }
        primary = !standby;
        return standby;
    }

    @Override
    public void destroy() {
        connections.close();
    }
}
