package dev.offsetd.server.backup;

import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.flywaydb.core.api.MigrationVersion;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyOut;

/** Takes backups. A backup is one snapshot, also while servers run, and does not modify the database. */
public final class Backups {

    private final DataSource database;

    /** @param database may be in use, and may belong to an earlier release */
    public Backups(DataSource database) {
        this.database = database;
    }

    /**
     * Result of a backup.
     *
     * @param lostUploads pinned builds from uploads that a backup without catalogues omits: no upstream has them
     */
    public record Saved(BackupManifest manifest, long lostUploads) {}

    /**
     * Writes a backup.
     *
     * @param product version of this program
     * @param catalogues whether to include the stored types and symbols
     * @throws UnusableDatabaseException if the database is not one of offsetd, belongs to a later release, or cannot be
     *     read
     * @throws OutputException if the output cannot be written
     */
    public Saved take(OutputStream out, String product, boolean catalogues, Progress progress)
            throws UnusableDatabaseException, OutputException {
        List<MigrationVersion> known = Schema.known(database);
        try (Connection connection = database.getConnection()) {
            connection.setReadOnly(true);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            try {
                return take(connection, known, out, product, catalogues, progress);
            } finally {
                connection.rollback();
            }
        } catch (IOException e) {
            throw new OutputException("the backup cannot be written: " + e.getMessage(), e);
        } catch (SQLException e) {
            throw new UnusableDatabaseException("the database cannot be read: " + e.getMessage());
        }
    }

    private static Saved take(
            Connection connection,
            List<MigrationVersion> known,
            OutputStream out,
            String product,
            boolean catalogues,
            Progress progress)
            throws UnusableDatabaseException, IOException, SQLException {
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
        List<String> tables = Schema.tables(connection, schema);
        BackupHeader header = header(connection, schema, tables, known, product, catalogues);
        try (BackupWriter writer = new BackupWriter(out, header, progress)) {
            for (String table : selected(tables, catalogues)) {
                save(connection, writer, schema, table, catalogues);
            }
            BackupManifest manifest = writer.finish();
            return new Saved(manifest, catalogues || !tables.contains("pins") ? 0 : pinnedUploads(connection));
        }
    }

    private static BackupHeader header(
            Connection connection,
            String schema,
            List<String> tables,
            List<MigrationVersion> known,
            String product,
            boolean catalogues)
            throws UnusableDatabaseException, SQLException {
        if (!tables.contains(Schema.HISTORY)) {
            throw new UnusableDatabaseException("there is nothing to back up: no offsetd has used the database yet");
        }
        MigrationVersion version = Schema.version(connection, schema)
                .orElseThrow(() -> new UnusableDatabaseException(
                        "there is nothing to back up: no offsetd has used the database yet"));
        if (!known.contains(version)) {
            throw new UnusableDatabaseException("the database has schema version " + version + ", this offsetd knows "
                    + known.getLast() + "; take the backup with the release that runs on it");
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select now(), current_setting('server_version')")) {
            row.next();
            return new BackupHeader(
                    BackupHeader.FORMAT,
                    BackupHeader.FORMAT_VERSION,
                    product,
                    version.toString(),
                    row.getString(2),
                    row.getObject(1, OffsetDateTime.class).toInstant(),
                    catalogues);
        }
    }

    private static List<String> selected(List<String> tables, boolean catalogues) {
        List<String> selected = new ArrayList<>(TableRules.ALWAYS);
        if (catalogues) {
            selected.addAll(TableRules.WITH_CATALOGUES);
        } else if (!tables.contains("pins")) {
            // Builds are saved only because pins refer to them.
            selected.remove("builds");
        }
        selected.retainAll(tables);
        return selected;
    }

    private static void save(Connection connection, BackupWriter writer, String schema, String name, boolean catalogues)
            throws SQLException, IOException {
        List<String> columns;
        String select;
        if (name.equals("builds") && !catalogues) {
            columns = TableRules.COLUMNS_OF_WANTED;
            select = TableRules.SELECT_WANTED;
        } else {
            columns = TableRules.ONLY_COLUMNS.getOrDefault(name, Schema.columns(connection, schema, name));
            select = "select "
                    + String.join(", ", columns.stream().map(Schema::name).toList()) + " from "
                    + Schema.name(schema, name);
        }
        BackupWriter.Table table = writer.table(name, columns);
        CopyOut copy = connection.unwrap(PGConnection.class).getCopyAPI().copyOut("copy (" + select + ") to stdout");
        try {
            for (byte[] row = copy.readFromCopy(); row != null; row = copy.readFromCopy()) {
                table.row(row);
            }
        } finally {
            if (copy.isActive()) {
                copy.cancelCopy();
            }
        }
        table.end();
    }

    private static long pinnedUploads(Connection connection) throws SQLException {
        return Schema.number(connection, """
                select count(*) from debug_files f
                where origin = 'upload' and symbol_count is null
                    and exists (select from pins where pins.build_id = f.build_id)
                """);
    }
}
