package dev.offsetd.server.operations.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.database.DatabaseDisk;
import jakarta.persistence.PersistenceException;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.orm.jpa.JpaSystemException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionSystemException;

class DatabaseProblemsTests {

    private final DatabaseDisk disk = new DatabaseDisk(() -> {});
    private final DatabaseProblems problems = new DatabaseProblems(disk);

    private void assertUnavailable(Exception e) {
        assertThat(problems.problemFor(e)).hasValueSatisfying(problem -> {
            assertThat(problem.status().value()).isEqualTo(503);
            assertThat(problem.code()).isEqualTo("database_unavailable");
            assertThat(problem.headers()).containsKey("Retry-After");
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"08000", "08003", "08006", "57P01", "57P02", "57P03", "53200", "53300", "40001", "40P01", "25006"
            })
    void stateThatPassesIsUnavailableHoweverItIsWrapped(String state) {
        SQLException cause = new SQLException("gone", state);
        assertUnavailable(new UncategorizedSQLException("task", "select 1", cause));
        assertUnavailable(new JpaSystemException(new PersistenceException("Unable to commit", cause)));
        assertUnavailable(new PersistenceException(cause));
    }

    @Test
    void fullDiskIsSaidHoweverItIsWrapped() {
        SQLException cause = new SQLException("No space left on device", "53100");
        assertThat(disk.isFull()).isFalse();
        for (Exception e : List.of(
                new DataAccessResourceFailureException("insert", cause),
                new JpaSystemException(new PersistenceException(cause)),
                new TransactionSystemException("Could not commit", new PersistenceException(cause)))) {
            assertThat(problems.problemFor(e)).hasValueSatisfying(problem -> {
                assertThat(problem.status().value()).isEqualTo(503);
                assertThat(problem.code()).isEqualTo("disk_full");
                assertThat(problem.headers()).containsKey("Retry-After");
            });
        }
        assertThat(disk.isFull()).isTrue();
    }

    static Stream<Exception> transactionsThatFail() {
        SQLException closed = new SQLException("Connection is closed");
        return Stream.of(
                new TransactionSystemException("JDBC rollback failed", closed),
                new TransactionSystemException("Could not roll back JPA transaction", new PersistenceException(closed)),
                new JpaSystemException(new PersistenceException("Unable to rollback against JDBC Connection", closed)),
                new CannotCreateTransactionException("no connection"),
                new CannotGetJdbcConnectionException("no connection"));
    }

    @ParameterizedTest
    @MethodSource("transactionsThatFail")
    void transactionWhoseConnectionIsGoneIsUnavailable(Exception e) {
        assertUnavailable(e);
    }

    @Test
    void whatTheStatementDidWrongIsNotTheDatabase() {
        assertThat(problems.problemFor(
                        new DataIntegrityViolationException("twice", new SQLException("duplicate key", "23505"))))
                .isEmpty();
        assertThat(problems.problemFor(
                        new UncategorizedSQLException("task", "selec", new SQLException("syntax", "42601"))))
                .isEmpty();
        assertThat(problems.problemFor(new IllegalStateException(new SQLException("gone", "08006"))))
                .isEmpty();
    }
}
