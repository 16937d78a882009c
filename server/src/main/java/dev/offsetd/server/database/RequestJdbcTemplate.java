package dev.offsetd.server.database;

import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Statements that give up soon while a caller waits for them: a database that hangs keeps its connections open and says
 * nothing, and only the socket's own timeout ends that. Transactions, which may write many megabytes, and work that
 * nobody waits for have the longer timeout of the pool.
 */
final class RequestJdbcTemplate extends JdbcTemplate {

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
            // The pool sets its own again when it gets the connection back.
            statement.getConnection().setNetworkTimeout(Runnable::run, timeoutMillis);
        }
    }
}
