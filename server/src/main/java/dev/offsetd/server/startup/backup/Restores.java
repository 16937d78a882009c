package dev.offsetd.server.startup.backup;

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
 * Restores backups into empty databases. The tables are built in a separate schema at the version of the backup,
 * migrated there, and replace the server's tables in one transaction. A failure before that leaves nothing behind.
 */
public final class Restores {

    /** The separate schema; the comment {@link #MARK} identifies it as ours. */
    private static final String STAGING = "offsetd_restore";

    private static final String MARK = "offsetd restore";

    /** Key of the advisory lock that permits one restore at a time; arbitrary, but unique. */
    private static final long LOCK = 0x6f66_6673_6574_6403L;

    /**
     * Added to the counters by which servers detect outdated caches. It exceeds the changes that can have happened
     * since the backup, so that no server mistakes the restored state for the one it has cached.
     */
    private static final long AHEAD = 1L << 32;

    private final DataSource database;

    /** @param database must permit three connections */
    public Restores(DataSource database) {
        this.database = database;
    }

    /**
     * Reads the whole file, without a database.
     *
     * @throws BackupFileException if the file is damaged
     * @throws UnusableDatabaseException if the backup belongs to a later release
     */
    public static BackupManifest check(Path file, Progress progress)
            throws BackupFileException, UnusableDatabaseException {
        requireKnown(BackupReader.header(file));
        try {
            return BackupReader.read(file, "checking", TableSink.NONE, progress);
        } catch (SQLException e) {
            throw new IllegalStateException("only a database throws it", e);
        }
    }

    /**
     * Restores a file.
     *
     * @param manifest the result of {@link #check}
     * @param cause recorded in the audit log
     * @throws BackupFileException if the database refuses the content of the file
     * @throws UnusableDatabaseException if the database is in use or fails
     */
    public void restore(Path file, BackupManifest manifest, String cause, Progress progress)
            throws BackupFileException, UnusableDatabaseException {
        Schema.requireBaseline(database);
        List<MigrationVersion> known = Schema.known();
        try (Connection connection = database.getConnection()) {
            if (Schema.number(connection, "select pg_try_advisory_lock(" + LOCK + ")::int") != 1) {
                throw new UnusableDatabaseException("another restore is in progress");
            }
            try {
                String target = Schema.current(connection);
                requireEmpty(connection, target, known);
                restore(connection, target, manifest, known, new Request(file, cause, progress));
            } finally {
                Schema.execute(connection, "select pg_advisory_unlock(" + LOCK + ")");
            }
        } catch (SQLException e) {
            throw new UnusableDatabaseException("the database refused the backup: " + e.getMessage());
        }
    }

    private static void requireKnown(BackupManifest.Header header) throws UnusableDatabaseException {
        List<MigrationVersion> known = Schema.known();
        if (!known.contains(header.loadVersion())) {
            throw new UnusableDatabaseException(
                    "the backup has schema version " + header.schemaVersion() + ", this release supports up to "
                            + known.getLast() + "; restore it with offsetd "
                            + HostileText.quote(String.valueOf(header.product())) + " or later");
        }
    }

    private record Request(Path file, String cause, Progress progress) {}

    private void restore(
            Connection connection,
            String target,
            BackupManifest manifest,
            List<MigrationVersion> known,
            Request request)
            throws BackupFileException, UnusableDatabaseException, SQLException {
        prepareStaging(connection);
        try {
            migrate(manifest.header().loadVersion());
            connection.setAutoCommit(false);
            // The file may be on a slow disk.
            Schema.execute(connection, "set local idle_in_transaction_session_timeout to 0");
            load(connection, request.file(), manifest, request.progress());
            connection.commit();
            migrate(known.getLast());
            replaceTables(connection, target, known, manifest, request.cause());
            connection.commit();
            connection.setAutoCommit(true);
        } catch (BackupFileException | UnusableDatabaseException | SQLException | RuntimeException e) {
            try {
                connection.rollback();
                connection.setAutoCommit(true);
                Schema.execute(connection, "drop schema if exists " + STAGING + " cascade");
            } catch (SQLException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    /** Creates the staging schema, replacing one that a killed restore left. */
    private static void prepareStaging(Connection connection) throws SQLException, UnusableDatabaseException {
        List<String> marks = Schema.strings(connection, """
            select coalesce(obj_description(oid, 'pg_namespace'), '') from pg_namespace where nspname = ?
            """, STAGING);
        if (!marks.isEmpty() && !marks.getFirst().equals(MARK)) {
            throw new UnusableDatabaseException(
                    "the database has a schema " + STAGING + " that offsetd did not create; rename it");
        }
        if (Schema.number(connection, "select has_database_privilege(current_database(), 'create')::int") != 1) {
            throw new UnusableDatabaseException(
                    "a restore needs the privilege to create schemas in the database; as its owner, run: "
                            + "grant create on database " + Schema.name(connection.getCatalog()) + " to "
                            + Schema.name(Schema.strings(connection, "select current_user")
                                    .getFirst()));
        }
        Schema.execute(connection, "drop schema if exists " + STAGING + " cascade");
        Schema.execute(connection, "create schema " + STAGING);
        Schema.execute(connection, "comment on schema " + STAGING + " is '" + MARK + "'");
    }

    private void migrate(MigrationVersion version) throws UnusableDatabaseException {
        try {
            Schema.flyway(database)
                    .schemas(STAGING)
                    .defaultSchema(STAGING)
                    .createSchemas(false)
                    .target(version)
                    .load()
                    .migrate();
        } catch (FlywayException e) {
            throw new UnusableDatabaseException(
                    "the tables cannot be migrated to schema version " + version + ": " + e.getMessage());
        }
    }

    private static void load(Connection connection, Path file, BackupManifest manifest, Progress progress)
            throws BackupFileException, SQLException {
        boolean combined = CombinedBuilds.in(manifest);
        if (combined) {
            CombinedBuilds.widen(connection, STAGING);
        }
        Map<String, BackupManifest.SavedTable> tables = new LinkedHashMap<>();
        for (BackupManifest.SavedTable table : manifest.tables()) {
            requireColumns(connection, file, manifest.header(), table);
            tables.put(table.name(), table);
        }
        for (String seeded : TableRules.SEEDED) {
            BackupManifest.SavedTable saved = tables.get(seeded);
            if (saved != null) {
                if (saved.rows() != 1) {
                    throw new BackupFileException(file + ": tables/" + seeded + ": " + saved.rows()
                            + " rows; expected 1, without which no server starts");
                }
                Schema.execute(connection, "delete from " + Schema.name(STAGING, seeded));
            }
        }
        BackupManifest loaded;
        try {
            loaded = BackupReader.read(file, "loading", new Loader(connection, file, tables), progress);
        } catch (PSQLException e) {
            throw new BackupFileException(file + ": the database refused it: " + location(e), e);
        }
        if (!loaded.equals(manifest)) {
            throw new BackupFileException(file + ": changed while it was read");
        }
        if (combined) {
            CombinedBuilds.split(connection, STAGING);
        }
        advanceSequences(connection, manifest.tables());
    }

    private static String location(PSQLException e) {
        ServerErrorMessage message = e.getServerErrorMessage();
        return message == null || message.getWhere() == null
                ? String.valueOf(e.getMessage())
                : message.getMessage() + " ("
                        + message.getWhere().lines().findFirst().orElse("") + ')';
    }

    private static void requireColumns(
            Connection connection, Path file, BackupManifest.Header header, BackupManifest.SavedTable table)
            throws SQLException, BackupFileException {
        List<String> columns = Schema.columns(connection, STAGING, table.name());
        if (!columns.containsAll(table.columns())) {
            List<String> unknown = new ArrayList<>(table.columns());
            unknown.removeAll(columns);
            throw new BackupFileException(
                    file + ": " + BackupWriter.MANIFEST + ": table " + table.name() + " has no columns "
                            + HostileText.quote(String.join(", ", unknown)) + " in schema version "
                            + header.schemaVersion());
        }
    }

    /** Sets sequences past the loaded rows. */
    private static void advanceSequences(Connection connection, List<BackupManifest.SavedTable> tables)
            throws SQLException {
        for (BackupManifest.SavedTable table : tables) {
            String name = Schema.name(STAGING, table.name());
            for (String column : Schema.numbered(connection, STAGING, table.name())) {
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

    /** Replaces the server's tables, locked and still empty, by the staged ones. */
    private static void replaceTables(
            Connection connection, String target, List<MigrationVersion> known, BackupManifest manifest, String cause)
            throws SQLException, UnusableDatabaseException {
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
                "update " + STAGING + ".change_counter set value = value + " + AHEAD + ", everything = value + "
                        + AHEAD);
        Schema.execute(connection, "update " + STAGING + ".token_revision set revision = revision + " + AHEAD);
        for (String function : Schema.functions(connection, STAGING)) {
            Schema.execute(connection, "drop function if exists " + Schema.name(target) + '.' + function);
            Schema.execute(
                    connection, "alter function " + STAGING + '.' + function + " set schema " + Schema.name(target));
        }
        for (String table : Schema.tables(connection, STAGING)) {
            Schema.execute(
                    connection, "alter table " + Schema.name(STAGING, table) + " set schema " + Schema.name(target));
        }
        // Fails if a migration created objects of other kinds, which would be lost otherwise.
        Schema.execute(connection, "drop schema " + STAGING);
        note(connection, target, manifest, cause);
    }

    private static List<String> ours(Connection connection, String schema) throws SQLException {
        return Schema.tables(connection, schema).stream()
                .filter(TableRules::isKnown)
                .toList();
    }

    private static void note(Connection connection, String target, BackupManifest manifest, String cause)
            throws SQLException {
        String after = BackupWriter.JSON
                .createObjectNode()
                .put("takenAt", manifest.header().takenAt().toString())
                .put("schemaVersion", manifest.header().schemaVersion())
                .put("catalogues", manifest.header().catalogues())
                .toString();
        try (PreparedStatement statement = connection.prepareStatement("insert into " + Schema.name(target, "audit")
                + " (who, address, action, subject, after, request_id)"
                + " values ('operator', 'local', 'backup.restore', 'everything', ?::jsonb, ?)")) {
            statement.setString(1, after);
            statement.setString(2, cause);
            statement.execute();
        }
    }

    private static void requireEmpty(Connection connection, String schema, List<MigrationVersion> known)
            throws SQLException, UnusableDatabaseException {
        List<String> tables = ours(connection, schema);
        if (tables.isEmpty()) {
            return;
        }
        if (!tables.contains(Schema.HISTORY)) {
            throw new UnusableDatabaseException(
                    "the database has tables of other programs with the names of offsetd's: "
                            + String.join(", ", tables) + "; restore into a separate database");
        }
        if (Schema.version(connection, schema)
                .filter(version -> !known.contains(version))
                .isPresent()) {
            throw new UnusableDatabaseException("the database was set up by a later release than this one");
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
            throw new UnusableDatabaseException("the database is not empty (" + String.join(", ", filled)
                    + " rows); restore into an empty one: another folder (--data) or another database"
                    + " (SPRING_DATASOURCE_URL)");
        }
    }

    /** Copies the rows into the staging schema. */
    private static final class Loader implements TableSink {

        private final Connection connection;
        private final Path file;
        private final Map<String, BackupManifest.SavedTable> tables;
        private BackupManifest.@Nullable SavedTable table;
        private @Nullable CopyIn copy;

        Loader(Connection connection, Path file, Map<String, BackupManifest.SavedTable> tables) {
            this.connection = connection;
            this.file = file;
            this.tables = tables;
        }

        @Override
        public void begin(String name) throws SQLException, BackupFileException {
            BackupManifest.SavedTable known = tables.get(name);
            if (known == null) {
                throw new BackupFileException(file + ": changed while it was read");
            }
            table = known;
            copy = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("copy " + Schema.name(STAGING, name) + " ("
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
