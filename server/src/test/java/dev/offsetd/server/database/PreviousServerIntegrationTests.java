package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.RecordingDriver;
import dev.offsetd.server.testkit.RecordingDriver.Noted;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.List;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/**
 * Statements of the previous release on the newest tables, as in a rolling upgrade. {@link RecordingDriver} recorded
 * them.
 */
@Timeout(120)
class PreviousServerIntegrationTests {

    /**
     * Newest migration of the previous release, which names the resource with its statements. There is no release yet:
     * these are the statements of a server on the baseline tables.
     */
    private static final String BEFORE = "12";

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private static List<Noted> statements() throws IOException {
        String name = "statements-V" + BEFORE + ".ndjson";
        try (InputStream in = PreviousServerIntegrationTests.class.getResourceAsStream(name)) {
            assertThat(in).as(name).isNotNull();
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> JSON.readValue(line, Noted.class))
                    .toList();
        }
    }

    @Test
    void everyStatementIsUnderstoodAndGivesItsColumns() throws Exception {
        List<Noted> statements = statements();
        assertThat(statements).hasSizeGreaterThan(100);
        try (Connection connection = TestDatabase.create().dataSource().getConnection()) {
            for (Noted noted : statements) {
                // A statement that selects all columns may return columns added since.
                assertThat(columns(connection, noted)).as(noted.sql()).containsSubsequence(noted.columns());
            }
        }
    }

    /** Prepares the statement with the recorded parameter types and returns its columns. Does not execute it. */
    private static List<RecordingDriver.Column> columns(Connection connection, Noted noted) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(
                noted.sql(), noted.keys() ? Statement.RETURN_GENERATED_KEYS : Statement.NO_GENERATED_KEYS)) {
            for (int i = 0; i < noted.parameters().size(); i++) {
                statement.setNull(i + 1, Types.OTHER, noted.parameters().get(i));
            }
            return RecordingDriver.columns(statement);
        } catch (SQLException e) {
            throw new AssertionError(noted.sql(), e);
        }
    }

    @Test
    void everyTableKeepsItsColumnsAndAsksForNoOthers() {
        TestDatabase old = TestDatabase.empty();
        Flyway.configure().dataSource(old.dataSource()).target(BEFORE).load().migrate();
        List<String> columns = columns(old.jdbc(), "true");
        assertThat(columns).hasSizeGreaterThan(100);
        assertThat(columns(TestDatabase.create().jdbc(), "true")).containsAll(columns);
        List<String> tables = columns.stream()
                .map(column -> column.substring(0, column.indexOf('.')))
                .distinct()
                .toList();
        assertThat(columns(
                        TestDatabase.create().jdbc(),
                        "is_nullable = 'NO' and column_default is null and is_identity = 'NO'"))
                .filteredOn(column -> tables.contains(column.substring(0, column.indexOf('.'))))
                .as("a server that does not know of a column cannot give it a value")
                .isSubsetOf(columns);
    }

    private static List<String> columns(JdbcClient jdbc, String which) {
        return jdbc.sql("""
                        select table_name || '.' || column_name || ' ' || udt_name from information_schema.columns
                        where table_schema = 'public' and
                        """ + which).query((row, number) -> row.getString(1)).list();
    }
}
