package dev.offsetd.server.startup.backup;

import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.flywaydb.core.api.MigrationVersion;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/** Takes backups. A backup is one snapshot, also while servers run, and does not modify the database. */
public final class Backups {

    private final DataSource database;
    private final ObjectStore objects;

    /**
     * @param database may be in use, and may belong to an earlier release
     * @param objects has the bytes that are not in the database
     */
    public Backups(DataSource database, ObjectStore objects) {
        this.database = database;
        this.objects = objects;
    }

    /**
     * Result of a backup.
     *
     * @param uploads builds that were read from uploads; every backup has their types and symbols
     * @param lost rows that are left out because their objects are missing or damaged
     */
    public record Saved(BackupManifest manifest, long uploads, long lost) {}

    /**
     * Writes a backup.
     *
     * @param product version of this program
     * @param catalogues whether to include the stored types and symbols of builds that a source can provide again
     * @throws UnusableDatabaseException if the database is not one of offsetd, belongs to a later release, or cannot be
     *     read, or its objects cannot be read
     * @throws NewFile.OutputException if the output cannot be written
     */
    public Saved take(OutputStream out, String product, boolean catalogues, Progress progress)
            throws UnusableDatabaseException, NewFile.OutputException {
        Schema.requireBaseline(database);
        List<MigrationVersion> known = Schema.known();
        try (Connection connection = database.getConnection()) {
            connection.setReadOnly(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            try {
                Source source = source(connection, catalogues);
                return take(source, header(source, known, product), out, progress);
            } finally {
                connection.rollback();
            }
        } catch (IOException e) {
            throw new NewFile.OutputException("the backup cannot be written: " + e.getMessage(), e);
        } catch (SQLException e) {
            throw new UnusableDatabaseException("the database cannot be read: " + e.getMessage());
        } catch (StoreUnreachableException e) {
            throw new UnusableDatabaseException("the objects cannot be read: " + e.getMessage());
        }
    }

    /** A snapshot of the tables. */
    private record Source(Connection connection, String schema, List<String> tables, boolean catalogues) {}

    private static Source source(Connection connection, boolean catalogues)
            throws UnusableDatabaseException, SQLException {
        // The text must not depend on settings of the database, and its timeouts must not end the snapshot.
        for (String setting : List.of(
                "datestyle to 'ISO, MDY'",
                "timezone to 'UTC'",
                "bytea_output to 'hex'",
                "extra_float_digits to 1",
                "statement_timeout to 0",
                "idle_in_transaction_session_timeout to 0")) {
            Schema.execute(connection, "set local " + setting);
        }
        String schema = Schema.current(connection);
        return new Source(connection, schema, Schema.tables(connection, schema), catalogues);
    }

    private Saved take(Source source, BackupManifest.Header header, OutputStream out, Progress progress)
            throws UnusableDatabaseException, IOException, SQLException {
        List<String> tables = source.tables();
        InlinedObjects inlined = new InlinedObjects(objects);
        if (tables.contains("object_store")) {
            inlined.belongTo(Schema.strings(source.connection(), select(List.of("id"), source.schema(), "object_store"))
                    .getFirst());
        }
        try (BackupWriter writer = new BackupWriter(out, header, progress)) {
            for (List<String> order : List.of(TableRules.ALWAYS, TableRules.EXTRACTED)) {
                for (String table : order) {
                    if (tables.contains(table)) {
                        save(source, writer, table, inlined);
                    }
                }
            }
            return new Saved(
                    writer.finish(),
                    Schema.number(source.connection(), "select count(*) from debug_files where origin = 'upload'"),
                    inlined.lost());
        }
    }

    private static BackupManifest.Header header(Source source, List<MigrationVersion> known, String product)
            throws UnusableDatabaseException, SQLException {
        if (!source.tables().contains(Schema.HISTORY)) {
            throw new UnusableDatabaseException("nothing to back up: the database has no tables of offsetd");
        }
        MigrationVersion version = Schema.version(source.connection(), source.schema())
                .orElseThrow(() ->
                        new UnusableDatabaseException("nothing to back up: the database has no tables of offsetd"));
        if (!known.contains(version)) {
            throw new UnusableDatabaseException(
                    "the database has schema version " + version + ", this release supports up to " + known.getLast()
                            + "; take the backup with the release that the server runs");
        }
        try (Statement statement = source.connection().createStatement();
                ResultSet row = statement.executeQuery("select now(), current_setting('server_version')")) {
            row.next();
            return new BackupManifest.Header(
                    BackupManifest.Header.FORMAT,
                    BackupManifest.Header.FORMAT_VERSION,
                    product,
                    version.toString(),
                    row.getString(2),
                    row.getObject(1, OffsetDateTime.class).toInstant(),
                    source.catalogues());
        }
    }

    private static void save(Source source, BackupWriter writer, String name, InlinedObjects inlined)
            throws SQLException, IOException {
        Connection connection = source.connection();
        String schema = source.schema();
        List<String> columns = TableRules.ONLY_COLUMNS.getOrDefault(name, Schema.columns(connection, schema, name));
        String select = select(columns.stream().map(Schema::name).toList(), schema, name);
        if (!source.catalogues() && TableRules.EXTRACTED.contains(name)) {
            select += " where " + TableRules.UPLOADED;
        } else if (!source.catalogues() && name.equals("builds")) {
            select += " where " + TableRules.UPLOADED + " union all "
                    + select(wanted(connection, schema, columns), schema, name) + " where not " + TableRules.UPLOADED
                    + " and build_id in (select build_id from pins)";
        }
        BackupWriter.TableWriter table = writer.table(name, columns);
        CopyOut copy = connection.unwrap(PGConnection.class).getCopyAPI().copyOut("copy (" + select + ") to stdout");
        try {
            for (byte[] row = copy.readFromCopy(); row != null; row = copy.readFromCopy()) {
                Optional<byte[]> saved = inlined.in(row, columns);
                if (saved.isPresent()) {
                    table.row(saved.get());
                }
            }
        } finally {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
        table.end();
    }

    private static String select(List<String> values, String schema, String table) {
        return "select " + String.join(", ", values) + " from " + Schema.name(schema, table);
    }

    /** Returns the values of a build that was not fetched yet. */
    private static List<String> wanted(Connection connection, String schema, List<String> columns) throws SQLException {
        Map<String, String> defaults = Schema.defaults(connection, schema, "builds");
        return columns.stream()
                .map(column -> TableRules.COLUMNS_OF_WANTED.contains(column)
                        ? Schema.name(column)
                        : defaults.getOrDefault(column, "null"))
                .toList();
    }
}
