package dev.offsetd.server.startup.backup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.StringReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import tools.jackson.databind.JsonNode;

/** Backups recorded from earlier builds, and tables of an earlier version; README.md beside the backups says how. */
@Timeout(180)
class EarlierBackupsIntegrationTests {

    /** Token "sets" of the server with schema 36, which existed for the recording only. */
    private static final String TOKEN_36 = "offsetd_c7BTdOxxcoyB6t1ZCHF7Vrg8iAopTjzs7GpAW6SCMRoC-XJXA";

    /** Build of schema 36 that was uploaded, and that no source has. */
    private static final String UPLOADED = "cd".repeat(20);

    /** Token "operations" of the server with schema 27, which existed for the recording only. */
    private static final String TOKEN = "offsetd_oh6Yi3JoPSXjen4InvgnilxREdMxOo7KhoeMtZisIA8AXjwZw";

    private static final String KILLED_AT = "bb".repeat(20);

    /** Tables that came after the recording. */
    private static final Set<String> LATER = Set.of(
            "debug_files",
            "frame_tables",
            "build_identities",
            "identity_facets",
            "build_aliases",
            "shared_build_ids",
            "go_modules",
            "kept_uploads",
            "events",
            "event_horizon",
            "webhooks",
            "undelivered_events",
            "watches",
            "watch_entries");

    @TempDir
    private Path folder;

    private final TestDatabase database = TestDatabase.create();

    /** The builds with the columns of their files under the names that a recorded backup has for them. */
    private static final String COMBINED_BUILDS = """
            (select b.*, coalesce(b.problem_extractor_version, f.extractor_version) as extractor_version,
                case when f.symbol_count is not null then f.extractor_version end as symbols_extractor_version,
                case when f.symbol_count is not null then f.read_at end as symbols_read_at, f.symbol_count,
                f.origin, f.upstream, f.sha256 as file_sha256, f.bytes as file_bytes, f.verified,
                coalesce(f.fetched_bytes, 0) as fetched_bytes, f.machine, f.bits, f.byte_order, f.supplementary_build_id,
                f.supplementary_upstream, f.supplementary_sha256, f.supplementary_bytes, f.upload_token, f.upload_label,
                f.debug_format, f.debug_info_bytes
            from builds b left join debug_files f using (build_id))
            """;

    private Path recorded(String name) throws Exception {
        Path file = folder.resolve(name);
        try (InputStream recorded = EarlierBackupsIntegrationTests.class.getResourceAsStream(name)) {
            Files.copy(Objects.requireNonNull(recorded, name), file);
        }
        return file;
    }

    private BackupManifest restore(String name) throws Exception {
        Progress unseen = (step, table, rows, bytes) -> {};
        Path file = recorded(name);
        BackupManifest backup = Restores.check(file, unseen);
        new Restores(database.dataSource()).restore(file, backup, "test", unseen);
        return backup;
    }

    @ParameterizedTest
    @ValueSource(strings = {"schema-5.backup", "schema-27.backup", "schema-36.backup"})
    void everyValueIsRestored(String name) throws Exception {
        BackupManifest manifest = restore(name);

        Map<String, List<String>> saved = rows(folder.resolve(name));
        List<BackupManifest.SavedTable> tables = manifest.tables().stream()
                .filter(table -> !TableRules.SEEDED.contains(table.name()) && table.rows() > 0)
                .toList();
        assertThat(tables).hasSizeGreaterThan(3);
        for (BackupManifest.SavedTable table : tables) {
            assertThat(rows(table, database.dataSource()))
                    .as(table.name())
                    .containsExactlyInAnyOrderElementsOf(saved.getOrDefault(table.name(), List.of()));
        }
        assertThat(Flyway.configure()
                        .dataSource(database.dataSource())
                        .load()
                        .validateWithResult()
                        .validationSuccessful)
                .as("the tables are those of the baseline")
                .isTrue();
        try (Connection connection = database.dataSource().getConnection()) {
            assertThat(Schema.columns(connection, "public", "builds"))
                    .as("the columns of the file have moved")
                    .doesNotContain("file_sha256", "symbols_read_at");
        }
    }

    /** The rows of each table in a backup. */
    private static Map<String, List<String>> rows(Path file) throws Exception {
        Map<String, List<String>> rows = new HashMap<>();
        BackupReader.read(
                file,
                "checking",
                new TableSink() {
                    private String table = "";
                    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

                    @Override
                    public void begin(String name) {
                        table = name;
                    }

                    @Override
                    public void add(byte[] buffer, int length) {
                        bytes.write(buffer, 0, length);
                    }

                    @Override
                    public void end() {
                        rows.put(
                                table,
                                bytes.toString(StandardCharsets.UTF_8).lines().toList());
                        bytes.reset();
                    }
                },
                (step, table, count, bytes) -> {});
        return rows;
    }

    /** The rows that a table has now, in the columns that it had in the backup. */
    private static List<String> rows(BackupManifest.SavedTable table, DataSource database) throws Exception {
        // Backups have the bytes of objects, so the hashes of their parts were null.
        String columns = table.columns().stream()
                .map(column -> column.equals("parts") ? "null" : Schema.name(column))
                .collect(Collectors.joining(", "));
        String from = table.name().equals("builds") ? COMBINED_BUILDS + " builds" : table.name();
        String restored = table.name().equals("audit") ? " where action <> 'backup.restore'" : "";
        ByteArrayOutputStream rows = new ByteArrayOutputStream();
        try (Connection connection = database.getConnection()) {
            Schema.execute(connection, "set timezone to 'UTC'");
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyOut("copy (select " + columns + " from " + from + restored + ") to stdout", rows);
        }
        return rows.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void recordingHasEveryTable() throws Exception {
        assertThat(restore("schema-27.backup").tables())
                .extracting(BackupManifest.SavedTable::name)
                .containsAll(Stream.concat(TableRules.ALWAYS.stream(), TableRules.EXTRACTED.stream())
                        .filter(table -> !LATER.contains(table))
                        .toList());
    }

    @Test
    void serverContinuesFromTheBackup() throws Exception {
        restore("schema-27.backup");
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (TestServer server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"))) {
            HttpResponse<String> answer = server.offsets(SmallBuild.ID, "point,line.to");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            JsonNode x = Json.item(answer, "point").path("fields").path("x");
            assertThat(x.path("offset").asInt()).as("the active pin").isEqualTo(4);
            assertThat(Json.item(answer, "line.to").path("offset").asInt())
                    .as("the expired pin")
                    .isEqualTo(4);
            HttpResponse<String> caller = server.get("/v1/whoami", "Authorization", "Bearer " + TOKEN);
            assertThat(caller.statusCode()).as(caller.body()).isEqualTo(200);
            assertThat(Json.of(server.get("/v1/type-sets/shapes")).path("title").asString())
                    .isEqualTo("Points\\and\ttabs\nand lines");
            assertThat(AdminClient.anonymous(server)
                            .signIn("ada", AdminClient.PASSWORD)
                            .statusCode())
                    .isEqualTo(303);
        }
    }

    @Test
    void serverWithoutObjectsContinuesFromTheBackupOfOneWithObjects() throws Exception {
        restore("schema-36.backup");
        try (TestServer server = startOffline(database)) {
            assertContinuesFrom36(server);
        }
    }

    @Test
    void tablesOfVersion36AreMigratedWithoutALossAndServed() throws Exception {
        TestDatabase tables = TestDatabase.empty();
        Schema.flyway(tables.dataSource()).target("36").load().migrate();
        BackupManifest manifest = Restores.check(recorded("schema-36.backup"), (step, table, rows, bytes) -> {});
        Map<String, List<String>> saved = rows(folder.resolve("schema-36.backup"));
        for (BackupManifest.SavedTable table : manifest.tables()) {
            fill(tables.dataSource(), table, saved.getOrDefault(table.name(), List.of()));
        }

        Schema.flyway(tables.dataSource()).load().migrate();

        for (BackupManifest.SavedTable table : manifest.tables()) {
            if (!TableRules.SEEDED.contains(table.name())) {
                assertThat(rows(table, tables.dataSource()))
                        .as(table.name())
                        .containsExactlyInAnyOrderElementsOf(saved.getOrDefault(table.name(), List.of()));
            }
        }
        try (TestServer server = startOffline(tables)) {
            assertContinuesFrom36(server);
        }
    }

    /** Writes the rows of a backup into a table of its schema, as the server that made them had it. */
    private static void fill(DataSource database, BackupManifest.SavedTable table, List<String> rows) throws Exception {
        String name = Schema.name(table.name());
        String columns = table.columns().stream().map(Schema::name).collect(Collectors.joining(", "));
        String text = rows.stream().map(row -> row + "\n").collect(Collectors.joining());
        try (Connection connection = database.getConnection()) {
            if (TableRules.SEEDED.contains(table.name())) {
                Schema.execute(connection, "delete from " + name);
            }
            connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("copy " + name + " (" + columns + ") from stdin", new StringReader(text));
            for (String column : Schema.numbered(connection, "public", table.name())) {
                Schema.execute(
                        connection,
                        "select setval(pg_get_serial_sequence('%s', '%s'), max(%s) + 1) from %s"
                                .formatted(table.name(), column, Schema.name(column), name));
            }
        }
    }

    private TestServer startOffline(TestDatabase tables) {
        return TestServer.start(folder.resolve("data"), tables, "offsetd.offline=true", "offsetd.uploads.keep=true");
    }

    private static void assertContinuesFrom36(TestServer server) throws Exception {
        HttpResponse<String> answer = server.offsets(UPLOADED, "point");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(Json.item(answer, "point")
                        .path("fields")
                        .path("y")
                        .path("offset")
                        .asInt(-1))
                .as("the pin")
                .isZero();
        assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        assertThat(server.file("GET", "/buildid/" + UPLOADED + "/debuginfo").body())
                .isEqualTo(SmallBuild.debugFile(BuildId.parse(UPLOADED)));
        assertThat(server.get("/v1/whoami", "Authorization", "Bearer " + TOKEN_36)
                        .statusCode())
                .isEqualTo(200);
        assertThat(Json.of(server.get("/v1/type-sets/life")).path("title").asString())
                .isEqualTo("Points\\and\ttabs\nand lines");
        assertThat(AdminClient.anonymous(server)
                        .signIn("ada", AdminClient.PASSWORD)
                        .statusCode())
                .isEqualTo(303);
    }

    @Test
    @ChecklistRow(31)
    void answersOfTheFirstServerAreServedAsStaleAndRenewed() throws Exception {
        restore("schema-5.backup");
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = TestServer.start(
                        folder.resolve("data"),
                        database,
                        "offsetd.upstreams.urls=" + upstream.url(),
                        "offsetd.upstreams.headers-timeout=60s",
                        "offsetd.extraction.renewal.poll=100ms",
                        "offsetd.changes.poll=100ms")) {
            HttpResponse<String> old = server.offsets(SmallBuild.ID, "point,line.to");
            assertThat(old.statusCode()).as(old.body()).isEqualTo(200);
            assertThat(Json.of(old).has("stale")).isTrue();
            assertThat(Json.item(old, "line.to").path("offset").asInt()).isEqualTo(4);
            assertThat(old.body()).contains("\"upstream\":\"/usr/lib/debug\"", "\"extractor\":\"2\"");
            upstream.open();
            HttpResponse<String> renewed = old;
            while (Json.of(renewed).has("stale")) {
                Thread.sleep(20);
                renewed = server.offsets(SmallBuild.ID, "point,line.to");
            }
            assertThat(Json.of(renewed).path("offsets")).isEqualTo(Json.of(old).path("offsets"));
            assertThat(renewed.body()).contains("\"extractor\":\"" + PartVersions.TYPES + '"');
            assertThat(server.get("/v1/builds/" + KILLED_AT).statusCode())
                    .as("the build that the first server was killed at")
                    .isEqualTo(200);
            assertThat(server.offsets(KILLED_AT, "point").statusCode())
                    .as("the upstream has another build")
                    .isIn(404, 502);
        }
    }
}
