package dev.offsetd.server.backup;

import dev.offsetd.server.database.SchemaBaseline;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/** The tables of a database, as its catalogue and Flyway know them. */
final class Schema {

    static final String HISTORY = "flyway_schema_history";

    private Schema() {}

    /** Flyway on our migrations. */
    static FluentConfiguration flyway(DataSource database) {
        return Flyway.configure().dataSource(database).locations("classpath:db/migration");
    }

    /**
     * Returns the migrations that this build knows, the oldest first.
     *
     * @throws RefusedException if the database was set up before the baseline
     */
    static List<MigrationVersion> known(DataSource database) throws RefusedException {
        Flyway flyway = flyway(database).load();
        if (SchemaBaseline.hasEarlierSchema(flyway)) {
            throw new RefusedException(SchemaBaseline.REFUSAL);
        }
        return Arrays.stream(flyway.info().all())
                .filter(migration -> migration.getState().isResolved())
                .map(MigrationInfo::getVersion)
                .sorted()
                .toList();
    }

    /**
     * The schema that the server uses.
     *
     * @throws RefusedException if the connection has none
     */
    static String current(Connection connection) throws SQLException, RefusedException {
        List<String> schema = strings(connection, "select current_schema()");
        if (schema.isEmpty()) {
            throw new RefusedException(
                    "the database has no schema to use; expected one that is in the user's search_path");
        }
        return schema.getFirst();
    }

    /** Tables of a schema, by name. */
    static List<String> tables(Connection connection, String schema) throws SQLException {
        return strings(connection, """
                select relname from pg_class
                where relnamespace = (select oid from pg_namespace where nspname = ?) and relkind in ('r', 'p')
                order by relname
                """, schema);
    }

    /** Functions of a schema, with their parameters as SQL names them. */
    static List<String> functions(Connection connection, String schema) throws SQLException {
        return strings(connection, """
                select quote_ident(proname) || '(' || pg_get_function_identity_arguments(oid) || ')' from pg_proc
                where pronamespace = (select oid from pg_namespace where nspname = ?) order by 1
                """, schema);
    }

    /** Columns of a table, in its order, without those that are computed. */
    static List<String> columns(Connection connection, String schema, String table) throws SQLException {
        return strings(connection, """
                select attname from pg_attribute
                where attrelid = (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                        where n.nspname = ? and c.relname = ?)
                    and attnum > 0 and not attisdropped and attgenerated = ''
                order by attnum
                """, schema, table);
    }

    /** Columns of a table that the database numbers by itself. */
    static List<String> numbered(Connection connection, String schema, String table) throws SQLException {
        return strings(connection, """
                select attname from pg_attribute
                where attrelid = (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                        where n.nspname = ? and c.relname = ?)
                    and attnum > 0 and not attisdropped and attidentity <> ''
                """, schema, table);
    }

    /** The newest migration of a schema that has a history of them; empty if it has run none. */
    static Optional<MigrationVersion> version(Connection connection, String schema)
            throws SQLException, RefusedException {
        String history = name(schema, HISTORY);
        if (!strings(connection, "select script from " + history + " where not success")
                .isEmpty()) {
            throw new RefusedException(
                    "a migration of the database has failed; start the server that ran it, whose log tells why");
        }
        return strings(connection, "select version from " + history + " where version is not null").stream()
                .map(MigrationVersion::fromVersion)
                .max(MigrationVersion::compareTo);
    }

    /** A name as SQL takes it, whatever it consists of. */
    static String name(String... parts) {
        List<String> quoted = new ArrayList<>();
        for (String part : parts) {
            quoted.add('"' + part.replace("\"", "\"\"") + '"');
        }
        return String.join(".", quoted);
    }

    /** The first column of all rows, without nulls. */
    static List<String> strings(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            List<String> values = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String value = rows.getString(1);
                    if (value != null) {
                        values.add(value);
                    }
                }
            }
            return values;
        }
    }

    /** The one number that this comes to. */
    static long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
