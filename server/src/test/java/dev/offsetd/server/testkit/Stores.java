package dev.offsetd.server.testkit;

import com.zaxxer.hikari.HikariDataSource;
import org.flywaydb.core.Flyway;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The dependencies of stores, without a server: the tables, a connection pool, and transactions. */
public final class Stores implements AutoCloseable {

    private final HikariDataSource pool = new HikariDataSource();

    /** Creates a pool on this database after migrating its tables. */
    public Stores(TestDatabase database) {
        Flyway.configure().dataSource(database.dataSource()).load().migrate();
        pool.setJdbcUrl(database.url());
        pool.setUsername(database.user());
        pool.setPassword(database.password());
        pool.setMaximumPoolSize(4);
    }

    public HikariDataSource pool() {
        return pool;
    }

    public JdbcClient jdbc() {
        return JdbcClient.create(pool);
    }

    public JdbcTransactionManager transactions() {
        return new JdbcTransactionManager(pool);
    }

    /** Runs the work in one transaction. */
    public void inTransaction(Runnable work) {
        new TransactionTemplate(transactions()).executeWithoutResult(status -> work.run());
    }

    @Override
    public void close() {
        pool.close();
    }
}
