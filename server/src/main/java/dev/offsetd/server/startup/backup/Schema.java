package dev.offsetd.server.startup.backup;

import dev.offsetd.server.database.SchemaBaseline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/** Queries of PostgreSQL's catalogue and Flyway's history. */
final class Schema {

    static final String HISTORY = "flyway_schema_history";

    private Schema() {}

    /** Returns a configuration with offsetd's migrations. */
    static FluentConfiguration flyway(DataSource database) {
        return Flyway.configure().dataSource(database).locations("classpath:db/migration");
    }

    /** Returns the migrations that this build knows, the oldest first. */
    static List<MigrationVersion> known() {
        try {
            return Arrays.stream(
                            new PathMatchingResourcePatternResolver().getResources("classpath*:db/migration/V*__*.sql"))
                    .map(migration -> Objects.requireNonNull(migration.getFilename()))
                    .map(name -> MigrationVersion.fromVersion(name.substring(1, name.indexOf("__"))))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws UnusableDatabaseException if the database was set up before the baseline */
    static void requireBaseline(DataSource database) throws UnusableDatabaseException {
        if (SchemaBaseline.hasEarlierSchema(flyway(database).load())) {
            throw new UnusableDatabaseException(SchemaBaseline.REFUSAL);
        }
    }

    /**
     * Returns the schema that the server uses.
     *
     * @throws UnusableDatabaseException if the connection has none
     */
    static String current(Connection connection) throws SQLException, UnusableDatabaseException {
        List<String> schema = strings(connection, "select current_schema()");
        if (schema.isEmpty()) {
            throw new UnusableDatabaseException(
                    "the database has no schema to use; expected one that is in the user's search_path");
        }
        return schema.getFirst();
    }

    /** Returns the tables of a schema, sorted by name. */
    static List<String> tables(Connection connection, String schema) throws SQLException {
        return strings(connection, """
                select relname from pg_class
                where relnamespace = (select oid from pg_namespace where nspname = ?) and relkind in ('r', 'p')
                order by relname
                """, schema);
    }

    /** Returns the functions of a schema with their parameter types. */
    static List<String> functions(Connection connection, String schema) throws SQLException {
        return strings(connection, """
                select quote_ident(proname) || '(' || pg_get_function_identity_arguments(oid) || ')' from pg_proc
                where pronamespace = (select oid from pg_namespace where nspname = ?) order by 1
                """, schema);
    }

    /** Returns the columns of a table in order, without generated ones. */
    static List<String> columns(Connection connection, String schema, String table) throws SQLException {
        return strings(connection, """
                select attname from pg_attribute
                where attrelid = (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                        where n.nspname = ? and c.relname = ?)
                    and attnum > 0 and not attisdropped and attgenerated = ''
                order by attnum
                """, schema, table);
    }

    /** Returns the SQL expressions of the columns that have a default, by column. */
    static Map<String, String> defaults(Connection connection, String schema, String table) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select attname, pg_get_expr(adbin, adrelid) from pg_attrdef
                join pg_attribute on attrelid = adrelid and attnum = adnum
                where adrelid = (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                        where n.nspname = ? and c.relname = ?)
                """)) {
            statement.setString(1, schema);
            statement.setString(2, table);
            Map<String, String> defaults = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    defaults.put(rows.getString(1), rows.getString(2));
                }
            }
            return defaults;
        }
    }

    /** Returns the identity columns of a table. */
    static List<String> numbered(Connection connection, String schema, String table) throws SQLException {
        return strings(connection, """
                select attname from pg_attribute
                where attrelid = (select c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
                        where n.nspname = ? and c.relname = ?)
                    and attnum > 0 and not attisdropped and attidentity <> ''
                """, schema, table);
    }

    /** Returns the newest migration of a schema with a history; empty if none has run. */
    static Optional<MigrationVersion> version(Connection connection, String schema)
            throws SQLException, UnusableDatabaseException {
        String history = name(schema, HISTORY);
        if (!strings(connection, "select script from " + history + " where not success")
                .isEmpty()) {
            throw new UnusableDatabaseException(
                    "a migration of the database has failed; the log of the server that ran it has the cause");
        }
        return strings(connection, "select version from " + history + " where version is not null").stream()
                .map(MigrationVersion::fromVersion)
                .max(MigrationVersion::compareTo);
    }

    /** Returns a quoted identifier. */
    static String name(String... parts) {
        List<String> quoted = new ArrayList<>();
        for (String part : parts) {
            quoted.add('"' + part.replace("\"", "\"\"") + '"');
        }
        return String.join(".", quoted);
    }

    /** Returns the non-null values of the first column. */
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

    /** Returns the number that a query yields. */
    static long number(Connection connection, String sql) throws SQLException {
        return Long.parseLong(strings(connection, sql).getFirst());
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
