package dev.offsetd.server.operations.health;

import dev.offsetd.server.database.Causes;
import dev.offsetd.server.database.DatabaseDisk;
import dev.offsetd.server.database.RefusedWrites;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemMapper;
import jakarta.persistence.PersistenceException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.RecoverableDataAccessException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.TransactionTimedOutException;

/** Problems of a database that is unreachable or out of disk space. */
@Component
class DatabaseProblems implements ProblemMapper {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    /** Longer than a restart takes, because an operator must free space. */
    private static final Duration FULL_RETRY_AFTER = Duration.ofSeconds(30);

    private static final String UNAVAILABLE = "the server cannot reach its database; it answers only from memory";

    /** The connection may have been lost before or after the commit. */
    private static final String UNKNOWN_OUTCOME =
            "the database connection was lost during the request; a change may or may not have been made";

    private final DatabaseDisk disk;

    DatabaseProblems(DatabaseDisk disk) {
        this.disk = disk;
    }

    @Override
    public Optional<Problem> problemFor(Exception e) {
        if (disk.filledUp(e)) {
            return Optional.of(full());
        }
        return switch (e) {
            case CannotCreateTransactionException _ -> Optional.of(unavailable(UNAVAILABLE));
            case TransactionSystemException _, TransactionTimedOutException _ ->
                Optional.of(unavailable(UNKNOWN_OUTCOME));
            case DataAccessResourceFailureException _,
                    TransientDataAccessException _,
                    RecoverableDataAccessException _ -> Optional.of(unavailable(UNAVAILABLE));
            case DataAccessException _, TransactionException _, PersistenceException _, SQLException _ ->
                connectionWasLost(e) ? Optional.of(unavailable(UNKNOWN_OUTCOME)) : Optional.empty();
            default -> Optional.empty();
        };
    }

    /** Returns whether the database ended the connection or transaction for its own reasons, judged by SQLSTATE. */
    private static boolean connectionWasLost(Exception e) {
        return Causes.of(e).stream().anyMatch(cause -> cause instanceof SQLException sql && isPassing(sql));
    }

    private static boolean isPassing(SQLException e) {
        String state = e.getSQLState();
        if (state == null) {
            // HikariCP's message for a connection that it has closed.
            return "Connection is closed".equals(e.getMessage());
        }
        // Connection exceptions; shutdown and start; too little memory, too many connections; serialization failure and
        // deadlock; a standby.
        return state.startsWith("08")
                || state.startsWith("57P")
                || state.startsWith("53")
                || state.equals("40001")
                || state.equals("40P01")
                || RefusedWrites.isStandby(e);
    }

    private static Problem full() {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "disk_full",
                        "The database's disk is full",
                        "the database has no room for this write; stored builds still answer")
                .retryAfter(FULL_RETRY_AFTER);
    }

    private static Problem unavailable(String detail) {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "database_unavailable",
                        "The database cannot be reached",
                        detail)
                .retryAfter(RETRY_AFTER);
    }
}
