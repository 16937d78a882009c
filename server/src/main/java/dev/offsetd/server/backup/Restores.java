package dev.offsetd.server.backup;

import dev.offsetd.extractor.input.HostileText;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationVersion;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Puts backups into empty databases. All of it is built in a schema beside the server's, at the version that the backup was
 * taken from, brought up to date there, and takes its place in one transaction; whatever fails before leaves nothing behind.
 */
public final class Restores {

    /** The schema beside; {@link #MARK} on it says that it is ours. */
    private static final String BESIDE = "offsetd_restore";

    private static final String MARK = "offsetd restore";

    /** Of the advisory lock by which one restore works at a time: any number that nothing else uses. */
    private static final long LOCK = 0x6f66_6673_6574_6403L;

    /**
     * Added to the counters by which servers find out that what they keep is old: more than there can have been changes since
     * the backup was taken, so that no server takes the restored state for the one that it knows.
     */
    private static final long AHEAD = 1L << 32;

    private final DataSource database;

    /** @param database with room for three connections */
    public Restores(DataSource database) {
        this.database = database;
    }

    /**
     * Checks the whole file, then restores it.
     *
     * @param cause noted in the audit: who does it
     * @throws BackupFileException if the file is not as it was written
     * @throws RefusedException if the database is in use or fails, or the file is of a later release
     */
    public BackupManifest restore(Path file, String cause, Progress progress)
            throws BackupFileException, RefusedException {
        List<MigrationVersion> known = Schema.known(database);
        requireKnown(BackupReader.header(file), known);
        try (Connection connection = database.getConnection()) {
            if (Schema.number(connection, "select pg_try_advisory_lock(" + LOCK + ")::int") != 1) {
                throw new RefusedException("another restore works on the database");
            }
            try {
                String target = Schema.current(connection);
                requireEmpty(connection, target, known);
                BackupManifest manifest = BackupReader.read(file, "checking", TableSink.NONE, progress);
                return restore(connection, target, file, manifest, known, cause, progress);
            } finally {
                Schema.execute(connection, "select pg_advisory_unlock(" + LOCK + ")");
            }
        } catch (SQLException e) {
            throw new RefusedException("the database does not take the backup: " + e.getMessage());
        }
    }

    private static void requireKnown(BackupHeader header, List<MigrationVersion> known) throws RefusedException {
        if (!known.contains(header.loadVersion())) {
            throw new RefusedException(
                    "the backup has schema version " + header.schemaVersion() + ", this offsetd knows "
                            + known.getLast() + "; restore it with offsetd "
                            + HostileText.quote(String.valueOf(header.product())) + " or later");
        }
    }

    private BackupManifest restore(
            Connection connection,
            String target,
            Path file,
            BackupManifest manifest,
            List<MigrationVersion> known,
            String cause,
            Progress progress)
            throws BackupFileException, RefusedException, SQLException {
        prepareBeside(connection);
        try {
            migrate(manifest.header().loadVersion());
            connection.setAutoCommit(false);
            load(connection, file, manifest, progress);
            connection.commit();
            migrate(known.getLast());
            takePlace(connection, target, known, manifest, cause);
            connection.commit();
            connection.setAutoCommit(true);
            return manifest;
        } catch (BackupFileException | RefusedException | SQLException | RuntimeException e) {
            try {
                connection.rollback();
                connection.setAutoCommit(true);
                Schema.execute(connection, "drop schema if exists " + BESIDE + " cascade");
            } catch (SQLException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    /** Makes the schema beside, in place of one that a restore left that was killed. */
    private static void prepareBeside(Connection connection) throws SQLException, RefusedException {
        List<String> marks = Schema.strings(connection, """
                select coalesce(obj_description(oid, 'pg_namespace'), '') from pg_namespace where nspname = ?
                """, BESIDE);
        if (!marks.isEmpty() && !marks.getFirst().equals(MARK)) {
            throw new RefusedException("the database has a schema " + BESIDE + " that is not ours; rename it");
        }
        if (Schema.number(connection, "select has_database_privilege(current_database(), 'create')::int") != 1) {
            throw new RefusedException(
                    "the user may not create schemas in the database, which a restore needs; as its owner: "
                            + "grant create on database " + Schema.name(connection.getCatalog()) + " to "
                            + Schema.name(Schema.strings(connection, "select current_user")
                                    .getFirst()));
        }
        Schema.execute(connection, "drop schema if exists " + BESIDE + " cascade");
        Schema.execute(connection, "create schema " + BESIDE);
        Schema.execute(connection, "comment on schema " + BESIDE + " is '" + MARK + "'");
    }

    private void migrate(MigrationVersion version) throws RefusedException {
        try {
            Schema.flyway(database)
                    .schemas(BESIDE)
                    .defaultSchema(BESIDE)
                    .createSchemas(false)
                    .target(version)
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw new RefusedException(
                    "the tables cannot be brought to schema version " + version + ": " + e.getMessage());
        }
    }

    private static void load(Connection connection, Path file, BackupManifest manifest, Progress progress)
            throws BackupFileException, SQLException {
        Map<String, SavedTable> tables = new LinkedHashMap<>();
        for (SavedTable table : manifest.tables()) {
            requireColumns(connection, file, manifest.header(), table);
            tables.put(table.name(), table);
        }
        for (String seeded : TableRules.SEEDED) {
            if (tables.containsKey(seeded)) {
                Schema.execute(connection, "delete from " + Schema.name(BESIDE, seeded));
            }
        }
        BackupManifest loaded;
        try {
            loaded = BackupReader.read(file, "loading", new Loader(connection, file, tables), progress);
        } catch (PSQLException e) {
            throw new BackupFileException(file + ": the database does not take it: " + place(e), e);
        }
        if (!loaded.equals(manifest)) {
            throw new BackupFileException(file + ": changed while it was read");
        }
        goOnCounting(connection, manifest.tables());
    }

    private static String place(PSQLException e) {
        ServerErrorMessage message = e.getServerErrorMessage();
        return message == null || message.getWhere() == null
                ? String.valueOf(e.getMessage())
                : message.getMessage() + " ("
                        + message.getWhere().lines().findFirst().orElse("") + ')';
    }

    private static void requireColumns(Connection connection, Path file, BackupHeader header, SavedTable table)
            throws SQLException, BackupFileException {
        List<String> columns = Schema.columns(connection, BESIDE, table.name());
        if (!columns.containsAll(table.columns())) {
            List<String> unknown = new ArrayList<>(table.columns());
            unknown.removeAll(columns);
            throw new BackupFileException(
                    file + ": " + BackupWriter.MANIFEST + ": table " + table.name() + " has no columns "
                            + HostileText.quote(String.join(", ", unknown)) + " in schema version "
                            + header.schemaVersion());
        }
    }

    /** Has the database number new rows behind those that were loaded. */
    private static void goOnCounting(Connection connection, List<SavedTable> tables) throws SQLException {
        for (SavedTable table : tables) {
            String name = Schema.name(BESIDE, table.name());
            for (String column : Schema.numbered(connection, BESIDE, table.name())) {
                String sql = "select setval(pg_get_serial_sequence(?, ?), coalesce(max(" + Schema.name(column)
                        + "), 1), max(" + Schema.name(column) + ") is not null) from " + name;
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.setString(1, name);
                    statement.setString(2, column);
                    statement.execute();
                }
            }
        }
    }

    /** Puts the tables beside in the place of the server's, which are locked and still empty. */
    private static void takePlace(
            Connection connection, String target, List<MigrationVersion> known, BackupManifest manifest, String cause)
            throws SQLException, RefusedException {
        List<String> old = ours(connection, target);
        if (!old.isEmpty()) {
            String names = String.join(
                    ", ", old.stream().map(table -> Schema.name(target, table)).toList());
            Schema.execute(connection, "lock table " + names + " in access exclusive mode");
            requireEmpty(connection, target, known);
            Schema.execute(connection, "drop table " + names);
        }
        Schema.execute(
                connection,
                "update " + BESIDE + ".change_counter set value = value + " + AHEAD + ", everything = value + "
                        + AHEAD);
        Schema.execute(connection, "update " + BESIDE + ".token_revision set revision = revision + " + AHEAD);
        for (String function : Schema.functions(connection, BESIDE)) {
            Schema.execute(connection, "drop function if exists " + Schema.name(target) + '.' + function);
            Schema.execute(
                    connection, "alter function " + BESIDE + '.' + function + " set schema " + Schema.name(target));
        }
        for (String table : Schema.tables(connection, BESIDE)) {
            Schema.execute(
                    connection, "alter table " + Schema.name(BESIDE, table) + " set schema " + Schema.name(target));
        }
        // Fails if a migration made something of another kind, which then would be lost.
        Schema.execute(connection, "drop schema " + BESIDE);
        note(connection, target, manifest, cause);
    }

    private static List<String> ours(Connection connection, String schema) throws SQLException {
        return Schema.tables(connection, schema).stream()
                .filter(TableRules::isKnown)
                .toList();
    }

    private static void note(Connection connection, String target, BackupManifest manifest, String cause)
            throws SQLException {
        Map<String, Object> after = new LinkedHashMap<>();
        after.put("takenAt", manifest.header().takenAt().toString());
        after.put("schemaVersion", manifest.header().schemaVersion());
        after.put("catalogues", manifest.header().catalogues());
        try (PreparedStatement statement = connection.prepareStatement("insert into " + Schema.name(target, "audit")
                + " (who, address, action, subject, after, request_id)"
                + " values ('operator', 'local', 'backup.restore', 'everything', ?::jsonb, ?)")) {
            statement.setString(1, BackupWriter.JSON.writeValueAsString(after));
            statement.setString(2, cause);
            statement.execute();
        }
    }

    private static void requireEmpty(Connection connection, String schema, List<MigrationVersion> known)
            throws SQLException, RefusedException {
        List<String> tables = ours(connection, schema);
        if (tables.isEmpty()) {
            return;
        }
        if (!tables.contains(Schema.HISTORY)) {
            throw new RefusedException("the database has tables of other programs that are named as ours: "
                    + String.join(", ", tables) + "; a backup goes into a database of its own");
        }
        if (Schema.version(connection, schema)
                .filter(version -> !known.contains(version))
                .isPresent()) {
            throw new RefusedException("the database was set up by a later release than this one");
        }
        List<String> filled = new ArrayList<>();
        for (String table : tables) {
            if (table.equals(Schema.HISTORY) || TableRules.SEEDED.contains(table)) {
                continue;
            }
            long rows = Schema.number(
                    connection,
                    "select count(*) from (select from " + Schema.name(schema, table) + " limit 1001) as rows");
            if (rows > 0) {
                filled.add(table + ": " + (rows > 1000 ? "more than 1000" : Long.toString(rows)));
            }
        }
        if (!filled.isEmpty()) {
            throw new RefusedException("the database is in use (rows of " + String.join(", ", filled)
                    + "); a backup goes into an empty one, which no server has used yet: another folder with --data, or, of a"
                    + " PostgreSQL of your own, another database");
        }
    }

    /** Hands the rows on to the database. */
    private static final class Loader implements TableSink {

        private final Connection connection;
        private final Path file;
        private final Map<String, SavedTable> tables;
        private @Nullable SavedTable table;
        private @Nullable CopyIn copy;

        Loader(Connection connection, Path file, Map<String, SavedTable> tables) {
            this.connection = connection;
            this.file = file;
            this.tables = tables;
        }

        @Override
        public void begin(String name) throws SQLException, BackupFileException {
            SavedTable known = tables.get(name);
            if (known == null) {
                throw new BackupFileException(file + ": changed while it was read");
            }
            table = known;
            copy = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("copy " + Schema.name(BESIDE, name) + " ("
                            + String.join(
                                    ", ",
                                    known.columns().stream().map(Schema::name).toList())
                            + ") from stdin");
        }

        @Override
        public void add(byte[] buffer, int length) throws SQLException {
            if (copy != null) {
                copy.writeToCopy(buffer, 0, length);
            }
        }

        @Override
        public void end() throws SQLException, BackupFileException {
            if (copy == null || table == null) {
                throw new IllegalStateException("no table was begun");
            }
            long rows = copy.endCopy();
            if (rows != table.rows()) {
                throw new BackupFileException(file + ": tables/" + table.name() + ": the database took " + rows
                        + " rows, expected " + table.rows());
            }
            copy = null;
        }
    }
}
