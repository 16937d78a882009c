package dev.offsetd.server.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * A few connections beside the pool, for the short statements by which servers keep in touch: when all others are taken,
 * or the database hangs, no lease and no change must be missed for it.
 */
@Component
public class ReservedConnections implements DisposableBean {

    /** One for each thread that may need one at the same time: heartbeat, changes, others' work, progress, readiness. */
    private static final int CONNECTIONS = 5;

    /** Longest wait for the database's next word, in seconds. */
    private static final int SOCKET_TIMEOUT_SECONDS = 2;

    private final HikariDataSource connections;
    private final JdbcClient jdbc;

    /** @param pool whose database they go to */
    public ReservedConnections(HikariDataSource pool) {
        HikariConfig reserved = new HikariConfig();
        pool.copyStateTo(reserved);
        reserved.setPoolName("reserved");
        reserved.setMaximumPoolSize(CONNECTIONS);
        reserved.setMinimumIdle(1);
        // In the URL: the driver's properties are shared with the pool that they were copied from.
        reserved.setJdbcUrl(pool.getJdbcUrl() + (pool.getJdbcUrl().contains("?") ? "&" : "?") + "socketTimeout="
                + SOCKET_TIMEOUT_SECONDS);
        connections = new HikariDataSource(reserved);
        jdbc = JdbcClient.create(connections);
    }

    public JdbcClient jdbc() {
        return jdbc;
    }

    @Override
    public void destroy() {
        connections.close();
    }
}
