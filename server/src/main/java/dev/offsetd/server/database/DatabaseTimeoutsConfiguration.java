package dev.offsetd.server.database;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.flyway.autoconfigure.FlywayConfigurationCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.RequestContextHolder;

@Configuration(proxyBeanMethods = false)
class DatabaseTimeoutsConfiguration {

    @Bean
    JdbcTemplate jdbcTemplate(
            HikariDataSource pool, @Value("${offsetd.database.request-timeout:1500ms}") Duration requestTimeout) {
        return new RequestJdbcTemplate(pool, requestTimeout);
    }

    /** Migrations bypass the pool and its timeouts, because large tables take long. */
    @Bean
    FlywayConfigurationCustomizer migrationsWithoutTimeout() {
        return flyway -> {
            if (flyway.getDataSource() instanceof HikariDataSource pool) {
                flyway.dataSource(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword());
            }
        };
    }

    /**
     * Template with a short timeout for statements outside of transactions on request threads. A hanging database keeps its
     * connections open, so only the socket timeout ends such a statement. Transactions, which may write many megabytes, and
     * background work keep the longer timeout of the pool.
     */
    private static final class RequestJdbcTemplate extends JdbcTemplate {

        private final int timeoutMillis;

        RequestJdbcTemplate(DataSource pool, Duration timeout) {
            super(pool);
            this.timeoutMillis = Math.toIntExact(timeout.toMillis());
        }

        @Override
        protected void applyStatementSettings(Statement statement) throws SQLException {
            super.applyStatementSettings(statement);
            if (RequestContextHolder.getRequestAttributes() != null
                    && !TransactionSynchronizationManager.isActualTransactionActive()) {
                // The pool restores its own timeout when the connection is returned.
                statement.getConnection().setNetworkTimeout(Runnable::run, timeoutMillis);
            }
        }
    }
}
