package dev.offsetd.server.startup.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.S3Service;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Backup and restore: every row returns on any supported PostgreSQL, and a database that is not empty is left
 * unchanged.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BackupsIntegrationTests {

    private static final Progress UNSEEN = (step, table, rows, bytes) -> {};

    /** Build that was uploaded and that no source has. */
    private static final BuildId UPLOADED = BuildId.parse("cd".repeat(20));

    /** Another one, with code and without a pin. */
    private static final BuildId UPLOADED_ONLY = BuildId.parse("ce".repeat(20));

    private Path folder;
    private TestDatabase filled;
    private String token;
    private Path whole;
    private Path small;

    @BeforeAll
    void fill(@TempDir Path scratch) throws Exception {
        folder = scratch;
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        filled = TestDatabase.create();
        try (TestServer server = server(
                "filled",
                filled,
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.uploads.keep=true",
                "offsetd.symbolize.uploads=true")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            assertThat(server.offsets(SmallBuild.UNKNOWN_ID, "point").statusCode())
                    .isEqualTo(404);
            Publisher publisher = Publisher.of(server, "ci");
            assertThat(publisher
                            .put(server, UPLOADED, SmallBuild.debugFile(UPLOADED))
                            .statusCode())
                    .isEqualTo(201);
            assertThat(publisher
                            .put(server, UPLOADED_ONLY, SmallBuild.withCode(UPLOADED_ONLY, folder))
                            .statusCode())
                    .isEqualTo(201);
            Administrator administrator = Administrator.of(server, "ada");
            administrator.pin(server, SmallBuild.ID, "point.x", "{\"offset\": 4, \"size\": 4}");
            administrator.pin(server, UPLOADED, "point.y", "{\"offset\": 0, \"size\": 4}");
            String ended = administrator
                    .pin(server, SmallBuild.UNKNOWN_ID, "point.x", "{\"offset\": 8, \"size\": 4}")
                    .path("id")
                    .asString();
            assertThat(administrator.delete(server, ended).statusCode()).isEqualTo(200);
            token = server.bean(Tokens.class)
                    .create("sets", Set.of(Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                    .text();
            for (String title : List.of("Points", "Points\\\\and\\ttabs\\nand lines")) {
                assertThat(server.send(
                                        "PUT",
                                        "/v1/type-sets/life",
                                        BodyPublishers.ofString(
                                                "{\"title\": \"" + title + "\", \"items\": [{\"item\": \"point.x\"}]}"),
                                        "Authorization",
                                        "Bearer " + token,
                                        "Content-Type",
                                        "application/json")
                                .statusCode())
                        .isBetween(200, 201);
            }
            AdminClient.signIn(server, "ada", "admin");
        }
        filled.jdbc().sql("""
                        insert into watches (id, name, kind, description, type_sets, interval_seconds, created_by)
                            values (gen_random_uuid(), 'ours', 'folder', '{"kind": "FOLDER", "url": "file:///srv", "components": [], "architectures": [], "names": [], "files": []}', '{life}', 60, 'ada');
                        insert into watch_entries (watch_id, key, name, version, architecture)
                            select id, 'aa', 'libx', '1', 'amd64' from watches;
                        insert into webhooks (name, url, secret, kinds, sets, created_by, position)
                            values ('chat', 'https://hooks.example/', decode(repeat('00', 32), 'hex'), '{}', '{}', 'ada', 0);
                        insert into undelivered_events (webhook, event_id, kind, title, at, problem)
                            values ('chat', 1, 'drift', 'moved', now(), 'timed out')
                        """).update();
        whole = save(filled, "whole", true);
        small = save(filled, "small", false);
    }

    private TestServer server(String data, TestDatabase database, String... more) {
        String[] properties = new String[more.length + 1];
        properties[0] = "offsetd.offline=true";
        System.arraycopy(more, 0, properties, 1, more.length);
        return TestServer.start(folder.resolve(data), database, properties);
    }

    private Path save(TestDatabase database, String name, boolean catalogues) throws Exception {
        Path file = folder.resolve(name + ".backup");
        try (NewFile written = NewFile.at(file, false)) {
            new Backups(database.dataSource(), S3Service.store()).take(written.content(), "1.0", catalogues, UNSEEN);
            written.finish();
        }
        return file;
    }

    private static BackupManifest restore(Path file, TestDatabase database) throws Exception {
        BackupManifest backup = Restores.check(file, UNSEEN);
        new Restores(database.dataSource()).restore(file, backup, "test", UNSEEN);
        return backup;
    }

    /** Returns the rows of all tables in a backup as text, unordered, without the audit row that a restore adds. */
    private static Map<String, List<String>> rows(TestDatabase database) {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        Set<String> tables = new TreeSet<>(TableRules.ALWAYS);
        tables.addAll(TableRules.EXTRACTED);
        tables.removeAll(TableRules.SEEDED);
        for (String table : tables) {
            String columns =
                    String.join(", ", TableRules.ONLY_COLUMNS.getOrDefault(table, columns(database.jdbc(), table)));
            rows.put(
                    table,
                    database
                            .jdbc()
                            .sql("select row(" + columns + ")::text from " + table + " order by 1")
                            .query((row, number) -> row.getString(1))
                            .list()
                            .stream()
                            .filter(row -> !row.contains("backup.restore"))
                            .toList());
        }
        return rows;
    }

    private static List<String> columns(JdbcClient jdbc, String table) {
        return jdbc.sql("""
                        select quote_ident(column_name) from information_schema.columns
                        where table_schema = 'public' and table_name = :table order by column_name
                        """)
                .param("table", table)
                .query((row, number) -> row.getString(1))
                .list();
    }

    @Test
    void everyTableIsEitherSavedOrLeftOutOnPurpose() {
        assertThat(TestDatabase.create()
                        .jdbc()
                        .sql("select tablename from pg_tables where schemaname = 'public'")
                        .query(String.class)
                        .list())
                .allMatch(TableRules::isKnown);
    }

    @Test
    void everyRowComesBackOnTheOldestPostgresAndOnTheNewest() throws Exception {
        Map<String, List<String>> rows = rows(filled);
        assertThat(rows).allSatisfy((table, values) -> {
            if (!Set.of("build_conflicts", "shared_build_ids", "go_modules").contains(table)) {
                assertThat(values).as(table).isNotEmpty();
            }
        });
        TestDatabase oldest = TestDatabase.onPostgres14();
        BackupManifest there = restore(whole, oldest);
        assertThat(rows(oldest)).isEqualTo(rows);
        assertThat(there.rows()).isGreaterThan(20);
        Path again = save(oldest, "of-postgres-14", true);
        assertThat(BackupReader.header(again).postgres()).startsWith("14.");
        TestDatabase newest = TestDatabase.empty();
        restore(again, newest);
        assertThat(rows(newest)).isEqualTo(rows);
        assertThat(newest.jdbc()
                        .sql("select nspname from pg_namespace where nspname like 'offsetd%'")
                        .query(String.class)
                        .list())
                .isEmpty();
        assertThatThrownBy(() -> newest.jdbc().sql("delete from audit").update())
                .hasMessageContaining("never changed");
        assertThatThrownBy(() ->
                        newest.jdbc().sql("update pin_history set who = ''").update())
                .hasMessageContaining("never changed");
    }

    @Test
    void serverGoesOnWhereTheOtherWas() throws Exception {
        TestDatabase database = TestDatabase.create();
        restore(whole, database);
        JdbcClient jdbc = database.jdbc();
        try (TestServer server = server("goes-on", database)) {
            HttpResponse<String> answer = server.offsets(SmallBuild.ID, "point,line.to");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(Json.item(answer, "line.to").path("offset").asInt()).isEqualTo(4);
            assertThat(Json.item(answer, "point")
                            .path("fields")
                            .path("x")
                            .path("offset")
                            .asInt())
                    .as("the pin")
                    .isEqualTo(4);
            assertThat(server.get("/v1/whoami", "Authorization", "Bearer " + token)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(Json.of(server.get("/v1/type-sets/life")).path("title").asString())
                    .isEqualTo("Points\\and\ttabs\nand lines");
            assertThat(Administrator.of(server, "new")
                            .pin(server, SmallBuild.ID, "line.to", "{\"offset\": 4, \"size\": 4}")
                            .has("id"))
                    .as("ids go on behind those that were loaded")
                    .isTrue();
        }
        assertThat(jdbc.sql(
                                "select action from audit where id > (select max(id) from audit where action = 'backup.restore')")
                        .query(String.class)
                        .list())
                .contains("token.create", "pin.create");
        assertThat(jdbc.sql("select everything from change_counter")
                        .query(Long.class)
                        .single())
                .as("servers that knew the old state drop what they keep")
                .isGreaterThan(filled.jdbc()
                        .sql("select value + 1000000000 from change_counter")
                        .query(Long.class)
                        .single());
        assertThat(jdbc.sql("select revision from token_revision")
                        .query(Long.class)
                        .single())
                .isGreaterThan(1_000_000_000L);
    }

    @Test
    void withoutCataloguesPinnedBuildsAreFetchedAgain() throws Exception {
        TestDatabase database = TestDatabase.empty();
        BackupManifest manifest = restore(small, database);
        assertThat(manifest.tables())
                .extracting(BackupManifest.SavedTable::name)
                .containsExactlyElementsOf(Stream.concat(TableRules.ALWAYS.stream(), TableRules.EXTRACTED.stream())
                        .toList());
        assertThat(database.jdbc()
                        .sql("select encode(build_id, 'hex') || ' ' || state from builds")
                        .query(String.class)
                        .list())
                .containsExactlyInAnyOrder(
                        SmallBuild.ID + " wanted",
                        SmallBuild.UNKNOWN_ID + " wanted",
                        UPLOADED + " extracted",
                        UPLOADED_ONLY + " extracted");
        Map<String, List<String>> rows = rows(filled);
        Map<String, List<String>> restored = rows(database);
        for (String table : TableRules.ALWAYS) {
            if (!table.equals("builds") && !TableRules.SEEDED.contains(table)) {
                assertThat(restored.get(table)).as(table).isEqualTo(rows.get(table));
            }
        }
        try (TestServer server = server("again", database, "offsetd.local-folders=" + folder.resolve("debug"))) {
            HttpResponse<String> answer = server.offsets(SmallBuild.ID, "point");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(Json.item(answer, "point")
                            .path("fields")
                            .path("x")
                            .path("offset")
                            .asInt())
                    .isEqualTo(4);
        }
    }

    @Test
    void uploadedBuildsAnswerAfterARestoreWithoutCatalogues() throws Exception {
        TestDatabase database = TestDatabase.empty();
        restore(small, database);
        Map<String, List<String>> rows = rows(filled);
        Map<String, List<String>> restored = rows(database);
        for (String table : List.of("debug_files", "catalogues", "symbol_tables", "extraction_lease")) {
            assertThat(restored.get(table))
                    .as(table)
                    .isEqualTo(Objects.requireNonNull(rows.get(table)).stream()
                            .filter(row -> row.contains(UPLOADED.toString()) || row.contains(UPLOADED_ONLY.toString()))
                            .toList())
                    .hasSize(2);
        }
        assertThat(restored.get("frame_tables"))
                .isEqualTo(rows.get("frame_tables"))
                .hasSize(1);
        // Lines can be read from their table only then.
        database.jdbc().sql("delete from kept_uploads").update();
        try (TestServer server = server("uploaded", database)) {
            SmallBuild.assertHasLines(server, UPLOADED_ONLY);
            for (BuildId id : List.of(UPLOADED, UPLOADED_ONLY)) {
                HttpResponse<String> answer = server.offsets(id, "line.to");
                assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
                assertThat(Json.item(answer, "line.to").path("offset").asInt()).isEqualTo(4);
                assertThat(Json.of(answer).path("stale").asBoolean()).isFalse();
            }
        }
    }

    @Test
    void laterExtractorReadsTheKeptFileOfARestoredUpload() throws Exception {
        TestDatabase database = TestDatabase.empty();
        restore(small, database);
        database.jdbc()
                .sql("update debug_files set extractor_version = extractor_version - 1")
                .update();
        database.jdbc().sql("update builds set retry_at = null").update();
        try (TestServer server =
                server("copied", database, "offsetd.uploads.keep=true", "offsetd.extraction.renewal.poll=100ms")) {
            while (Json.of(server.offsets(UPLOADED, "line.to")).has("stale")) {
                Thread.sleep(20);
            }
            assertThat(database.jdbc()
                            .sql("select max(extractor_version) from debug_files")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(PartVersions.TYPES);
        }
    }

    @Test
    void objectsAreInTheBackup() throws Exception {
        try (S3Service service = S3Service.create()) {
            TestDatabase stored = TestDatabase.create();
            byte[] uploaded = SmallBuild.withCode(UPLOADED, folder);
            try (TestServer server = server(
                    "stored",
                    stored,
                    service.properties("offsetd.uploads.keep=true", "offsetd.symbolize.uploads=true"))) {
                assertThat(Publisher.of(server, "ci")
                                .put(server, UPLOADED, uploaded)
                                .statusCode())
                        .isEqualTo(201);
            }
            assertThat(stored.jdbc()
                            .sql("select count(*) from catalogues join frame_tables using (build_id)"
                                    + " where catalogues.object is not null and frame_tables.object is not null")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(1);
            Path file = folder.resolve("objects.backup");
            try (NewFile written = NewFile.at(file, false)) {
                assertThat(new Backups(stored.dataSource(), S3Service.store(service.properties()))
                                .take(written.content(), "1.0", false, UNSEEN)
                                .lost())
                        .isZero();
                written.finish();
            }
            TestDatabase restored = TestDatabase.empty();
            restore(file, restored);
            // Neither a source nor an object store.
            try (TestServer server = server("restored-objects", restored)) {
                assertThat(server.offsets(UPLOADED, "point").statusCode()).isEqualTo(200);
                SmallBuild.assertHasLines(server, UPLOADED);
                assertThat(server.file("GET", "/buildid/" + UPLOADED + "/debuginfo")
                                .body())
                        .isEqualTo(uploaded);
            }
            service.set(S3Service.Mode.DOWN);
            assertThatThrownBy(() -> new Backups(stored.dataSource(), S3Service.store(service.properties()))
                            .take(OutputStream.nullOutputStream(), "1.0", false, UNSEEN))
                    .isInstanceOf(UnusableDatabaseException.class)
                    .hasMessageContaining("object store");
            service.set(S3Service.Mode.WORKS);
            for (String object : service.objects()) {
                Files.delete(service.file(object));
            }
            assertThat(new Backups(stored.dataSource(), S3Service.store(service.properties()))
                            .take(OutputStream.nullOutputStream(), "1.0", false, UNSEEN)
                            .lost())
                    .isEqualTo(4);
        }
    }

    @Test
    void uploadedBuildsAreCounted() throws Exception {
        for (boolean catalogues : List.of(true, false)) {
            try (NewFile written = NewFile.at(folder.resolve("counted"), false)) {
                assertThat(new Backups(filled.dataSource(), S3Service.store())
                                .take(written.content(), "1.0", catalogues, UNSEEN)
                                .uploads())
                        .isEqualTo(2);
            }
        }
        assertThat(folder.resolve("counted")).as("not finished").doesNotExist();
    }

    @Test
    void backupIsOfOneMoment() throws Exception {
        TestDatabase database = TestDatabase.empty();
        restore(whole, database);
        Path file = folder.resolve("moment.backup");
        try (NewFile written = NewFile.at(file, false)) {
            new Backups(database.dataSource(), S3Service.store())
                    .take(written.content(), "1.0", true, (step, table, rows, bytes) -> {
                        if (table.equals("builds")) {
                            database.jdbc()
                                    .sql("insert into demand values ('\\x0102030405060708', 1, now(), now(), 'late')")
                                    .update();
                        }
                    });
            written.finish();
        }
        TestDatabase restored = TestDatabase.empty();
        restore(file, restored);
        assertThat(database.jdbc()
                        .sql("select count(*) from demand where cause = 'late'")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
        assertThat(rows(restored)).isEqualTo(rows(filled));
    }

    @Test
    void restoredTablesAreThoseOfTheMigrations() throws Exception {
        TestDatabase restored = TestDatabase.create();
        restore(whole, restored);
        assertThat(history(restored)).hasSizeGreaterThan(10).isEqualTo(history(TestDatabase.create()));
        assertThat(Flyway.configure()
                        .dataSource(restored.dataSource())
                        .load()
                        .validateWithResult()
                        .validationSuccessful)
                .isTrue();
    }

    private static List<String> history(TestDatabase database) {
        return database.jdbc()
                .sql("select version || ' ' || success from flyway_schema_history order by installed_rank")
                .query((row, number) -> row.getString(1))
                .list();
    }

    @Test
    void databaseInUseIsLeftAlone() {
        Map<String, List<String>> before = rows(filled);
        assertThatThrownBy(() -> restore(whole, filled))
                .isInstanceOf(UnusableDatabaseException.class)
                .hasMessageContaining("tokens: 3")
                .hasMessageContaining("another folder (--data)");
        assertThat(rows(filled)).isEqualTo(before);
    }

    @Test
    void whatOneServerHasSetUpMeanwhileIsNotWrittenOver() throws Exception {
        TestDatabase database = TestDatabase.create();
        assertThatThrownBy(() -> new Restores(database.dataSource())
                        .restore(whole, Restores.check(whole, UNSEEN), "test", (step, table, rows, bytes) -> {
                            if (step.equals("loading") && table.equals("builds")) {
                                database.jdbc()
                                        .sql(
                                                "insert into demand values ('\\x0102030405060708', 1, now(), now(), 'new')")
                                        .update();
                            }
                        }))
                .isInstanceOf(UnusableDatabaseException.class)
                .hasMessageContaining("demand: 1");
        assertThat(rows(database).get("builds")).isEmpty();
        assertThat(database.jdbc()
                        .sql("select count(*) from pg_namespace where nspname = 'offsetd_restore'")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @Test
    void leftoversOfAKilledRestoreAreClearedAwayAndNothingElseOfThatName() throws Exception {
        TestDatabase database = TestDatabase.empty();
        JdbcClient jdbc = database.jdbc();
        jdbc.sql("create schema offsetd_restore").update();
        assertThatThrownBy(() -> restore(small, database))
                .isInstanceOf(UnusableDatabaseException.class)
                .hasMessageContaining("offsetd_restore that offsetd did not create");
        jdbc.sql("comment on schema offsetd_restore is 'offsetd restore'").update();
        jdbc.sql("create table offsetd_restore.builds (half text)").update();
        assertThat(restore(small, database).rows()).isPositive();
    }

    @Test
    void emptyAndNewerDatabasesAreNotSaved() {
        TestDatabase database = TestDatabase.empty();
        assertThatThrownBy(() -> save(database, "nothing", true))
                .isInstanceOf(UnusableDatabaseException.class)
                .hasMessageContaining("nothing to back up");
        TestDatabase later = TestDatabase.create();
        later.jdbc().sql("""
                        insert into flyway_schema_history (installed_rank, version, description, type, script, installed_by,
                            execution_time, success)
                        values (9999, '9999', 'later', 'SQL', 'V9999__later.sql', 'postgres', 1, true)
                        """).update();
        assertThatThrownBy(() -> save(later, "nothing", true))
                .isInstanceOf(UnusableDatabaseException.class)
                .hasMessageContaining("schema version 9999", "take the backup with the release that the server runs");
        assertThatThrownBy(() -> restore(small, later))
                .isInstanceOf(UnusableDatabaseException.class)
                .hasMessageContaining("later release");
        assertThat(folder.resolve("nothing.backup")).doesNotExist();
    }
}
