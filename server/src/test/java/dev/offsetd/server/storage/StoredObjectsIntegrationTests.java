package dev.offsetd.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.S3Service;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Servers that store types and symbols in an object store. */
@Timeout(180)
@ChecklistRow(41)
class StoredObjectsIntegrationTests {

    /** A database and a bucket in which the small build is stored. */
    private static ObjectServers stored;

    @TempDir
    private Path folder;

    private ObjectServers servers;
    private TestDatabase database;
    private S3Service service;

    @BeforeAll
    static void store(@TempDir Path data) throws IOException {
        SmallBuild.putInto(data.resolve("debug"), SmallBuild.debugFile());
        stored = ObjectServers.in(data);
        try (TestServer server = stored.start("data", "offsetd.local-folders=" + data.resolve("debug"))) {
            answers(server);
        }
    }

    @AfterAll
    static void stopStored() {
        stored.close();
    }

    @BeforeEach
    void start() throws IOException {
        use(ObjectServers.in(folder));
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
    }

    private void use(ObjectServers used) {
        servers = used;
        database = used.database();
        service = used.service();
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    /** Goes on with a copy of the database and the bucket in which the small build is stored. */
    private void useStored() throws IOException {
        servers.close();
        use(stored.copy(folder));
    }

    private TestServer server(String name, String... more) {
        return servers.start(
                name,
                Stream.concat(
                                Stream.of(
                                        "offsetd.local-folders=" + folder.resolve("debug"),
                                        "offsetd.changes.poll=100ms"),
                                Stream.of(more))
                        .toArray(String[]::new));
    }

    /** Starts a server that has no source of debug files. */
    private TestServer reader(String name) {
        return servers.start(name);
    }

    private static void answers(TestServer server) {
        HttpResponse<String> answer = server.offsets(SmallBuild.ID, "point.y");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(Json.of(answer)
                        .path("offsets")
                        .path("point.y")
                        .path("offset")
                        .asInt())
                .as(answer.body())
                .isEqualTo(4);
    }

    private static void unreachable(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
        assertThat(Json.of(answer).path("code").asString()).isEqualTo("store_unreachable");
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }

    private List<String> rows() {
        return database.jdbc().sql("""
                        select encode(object, 'hex') from (
                            select object from catalogues where blob is null
                            union all select object from symbol_tables where blob is null) objects
                        order by 1
                        """).query((row, number) -> row.getString(1)).list();
    }

    @Test
    void anyServerAnswersFromObjects() throws IOException {
        useStored();
        assertThat(rows()).hasSize(2).isEqualTo(service.objects());
        SmallBuild.removeFrom(folder.resolve("debug"));
        try (TestServer second = server("second")) {
            answers(second);
            assertThat(second.get("/v1/symbols/" + SmallBuild.ID + "?names=main")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(Json.of(second.get("/v1/builds/" + SmallBuild.ID + "/types"))
                            .path("types")
                            .size())
                    .isPositive();
        }
    }

    @Test
    void functionsAndLinesAnswerFromObjects() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.withCode(SmallBuild.ID, folder));
        try (TestServer first = server("first")) {
            answers(first);
            SmallBuild.assertHasLines(first, SmallBuild.ID);
            // The first answer may precede the table.
            while (database.jdbc()
                    .sql("select object from frame_tables where blob is null")
                    .query()
                    .listOfRows()
                    .isEmpty()) {
                Thread.sleep(10);
            }
            assertThat(first.bean(ObjectRows.class).deleteUnused(Duration.ZERO)).isZero();
        }
        try (TestServer second = reader("second")) {
            SmallBuild.assertHasLines(second, SmallBuild.ID);
        }
    }

    enum Damage {
        OTHER_BYTES,
        SHORT,
        MISSING
    }

    @ParameterizedTest
    @EnumSource
    void damagedObjectIsExtractedAgain(Damage damage) throws IOException {
        useStored();
        List<String> stored = service.objects();
        for (String name : stored) {
            Path file = service.file(name);
            byte[] bytes = Files.readAllBytes(file);
            switch (damage) {
                case OTHER_BYTES -> bytes[bytes.length / 2] ^= 1;
                case SHORT -> bytes = Arrays.copyOf(bytes, bytes.length - 1);
                case MISSING -> {}
            }
            if (damage == Damage.MISSING) {
                Files.delete(file);
            } else {
                Files.write(file, bytes);
            }
        }
        try (TestServer second = server("second")) {
            answers(second);
        }
        assertThat(service.objects()).isEqualTo(stored);
        try (TestServer third = reader("third")) {
            answers(third);
        }
    }

    @Test
    void earlierStateOfTheDatabaseUsesTheObjectsThatRemain() throws IOException {
        BuildId uploaded = SmallBuild.UNKNOWN_ID;
        try (TestServer first = server("first")) {
            answers(first);
            assertThat(Publisher.of(first, "ci")
                            .put(first, uploaded, SmallBuild.debugFile(uploaded))
                            .statusCode())
                    .isEqualTo(201);
        }
        // The database as point-in-time recovery brings it back.
        ObjectServers earlier = servers.on(database.copy());
        ObjectServers later = servers.on(database.copy());
        try (TestServer reader = earlier.start("earlier")) {
            answers(reader);
            assertThat(reader.offsets(uploaded, "point.y").statusCode()).isEqualTo(200);
        }
        for (String name : service.objects()) {
            Files.delete(service.file(name));
        }
        try (TestServer server = later.start(
                "later", "offsetd.local-folders=" + folder.resolve("debug"), "offsetd.changes.poll=100ms")) {
            // Before the other build, which has the same objects, writes them again.
            HttpResponse<String> lost = server.offsets(uploaded, "point.y");
            assertThat(lost.statusCode()).as(lost.body()).isEqualTo(404);
            assertThat(Json.of(lost).path("code").asString()).isEqualTo("build_not_found");
            answers(server);
            assertThat(Publisher.of(server, "ci again")
                            .put(server, uploaded, SmallBuild.debugFile(uploaded))
                            .statusCode())
                    .isEqualTo(201);
            assertThat(server.offsets(uploaded, "point.y").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void anotherBucketDoesNotDiscardBuilds() throws IOException {
        useStored();
        try (S3Service other = S3Service.create();
                TestServer wrong =
                        TestServer.start(folder.resolve("wrong"), database, other.properties("offsetd.offline=true"))) {
            unreachable(wrong.offsets(SmallBuild.ID, "point.y"));
        }
        try (TestServer without = TestServer.start(folder.resolve("without"), database, "offsetd.offline=true")) {
            unreachable(without.offsets(SmallBuild.ID, "point.y"));
        }
        try (TestServer right = reader("right")) {
            answers(right);
        }
    }

    @Test
    void cachedAnswersGoOnWithoutTheStore() throws Exception {
        BuildId other = SmallBuild.UNKNOWN_ID;
        try (TestServer first = server("first");
                TestServer second = server("second")) {
            answers(first);
            service.set(S3Service.Mode.DOWN);
            answers(first);
            unreachable(second.offsets(SmallBuild.ID, "point.y"));
            while (!"object_store"
                    .equals(Json.of(second.get("/readyz")).path("degraded").asString(""))) {
                unreachable(second.offsets(SmallBuild.ID, "point.x"));
            }
            assertThat(second.get("/readyz").statusCode()).isEqualTo(200);
            unreachable(second.offsets(SmallBuild.ID, "line.to"));
            // No source has it, and nothing is to be stored.
            assertThat(first.offsets(other, "point").statusCode()).isIn(404, 503);
            service.set(S3Service.Mode.WORKS);
            while (Json.of(second.get("/readyz")).has("degraded")) {
                Thread.sleep(100);
            }
            answers(second);
        }
    }

    @Test
    void slowStoreDelaysOnlyQueriesThatNeedIt() throws Exception {
        BuildId known = SmallBuild.UNKNOWN_ID;
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.otherLayouts());
        try (TestServer first = server("first");
                TestServer second = reader("second");
                ExecutorService threads = Executors.newCachedThreadPool()) {
            assertThat(Publisher.of(first, "ci")
                            .put(first, known, SmallBuild.debugFile(known))
                            .statusCode())
                    .isEqualTo(201);
            assertThat(first.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            assertThat(second.offsets(known, "point").statusCode()).isEqualTo(200);
            int before = service.connections();
            service.set(S3Service.Mode.SLOW);
            List<Future<HttpResponse<String>>> waiting = Stream.of("point", "line", "point.y", "@ruby")
                    .map(types -> threads.submit(() -> second.offsets(SmallBuild.ID, types)))
                    .toList();
            while (service.connections() == before) {
                Thread.sleep(10);
            }
            for (int i = 0; i < 5; i++) {
                second.forgetAnswers();
                assertThat(second.offsets(known, "point").statusCode()).isEqualTo(200);
            }
            assertThat(waiting).noneMatch(Future::isDone);
            for (Future<HttpResponse<String>> answer : waiting) {
                unreachable(answer.get());
            }
            assertThat(second.offsets(known, "point").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void newBuildIsStoredOnceTheStoreWorksAgain() throws Exception {
        try (TestServer server = server("first")) {
            while (!service.file("database-" + databaseId()).toFile().exists()) {
                Thread.sleep(20);
            }
            service.set(S3Service.Mode.BUSY);
            unreachable(server.offsets(SmallBuild.ID, "point.y"));
            assertThat(rows()).isEmpty();
            service.set(S3Service.Mode.WORKS);
            while (server.offsets(SmallBuild.ID, "point.y").statusCode() == 503) {
                Thread.sleep(100);
            }
            answers(server);
        }
    }

    private String databaseId() {
        return database.jdbc()
                .sql("select id::text from object_store")
                .query(String.class)
                .single();
    }

    @Test
    void objectOfAServerThatDiedBeforeItsRowIsDeletedAndNoOther() throws IOException {
        try (TestServer server = server("first")) {
            // The row of the build cannot be written, as after a kill.
            database.jdbc()
                    .sql("alter table symbol_tables add constraint dead check (false)")
                    .update();
            assertThat(server.offsets(SmallBuild.ID, "point.y").statusCode()).isEqualTo(500);
            assertThat(rows()).isEmpty();
            assertThat(service.objects()).hasSize(2);
            ObjectRows rows = server.bean(ObjectRows.class);
            assertThat(rows.deleteUnused(Duration.ofHours(1))).isZero();
            assertThat(rows.deleteUnused(Duration.ZERO)).isEqualTo(2);
            assertThat(service.objects()).isEmpty();
            database.jdbc()
                    .sql("alter table symbol_tables drop constraint dead")
                    .update();
            answers(server);
            assertThat(rows.deleteUnused(Duration.ZERO)).isZero();
            assertThat(service.objects()).isEqualTo(rows());
            server.forgetAnswers();
            answers(server);
        }
    }

    @Test
    void replacedObjectIsDeletedAfterAWhile() throws IOException {
        try (TestServer server = server("first")) {
            answers(server);
            List<String> before = service.objects();
            ObjectRows rows = server.bean(ObjectRows.class);
            assertThat(rows.deleteUnused(Duration.ZERO)).isZero();
            assertThat(marks()).isZero();
            SmallBuild.putInto(folder.resolve("debug"), SmallBuild.richerDebugFile());
            database.jdbc()
                    .sql("update builds set state = 'wanted', generation = generation + 1")
                    .update();
            database.jdbc().sql("delete from debug_files").update();
            server.forgetAnswers();
            answers(server);
            assertThat(rows()).isNotEqualTo(before);
            assertThat(service.objects()).containsAll(before).containsAll(rows());
            assertThat(rows.deleteUnused(Duration.ofHours(1))).isZero();
            assertThat(rows.deleteUnused(Duration.ZERO)).isPositive();
            assertThat(service.objects()).isEqualTo(rows().stream().distinct().toList());
            database.jdbc().sql("delete from builds").update();
            assertThat(rows.deleteUnused(Duration.ZERO)).isPositive();
            assertThat(service.objects()).isEmpty();
        }
    }

    private int marks() {
        return database.jdbc()
                .sql("select count(*) from stored_objects where unused_since is not null")
                .query(Integer.class)
                .single();
    }

    private OffsetDateTime time(String query) {
        return database.jdbc().sql(query).query(OffsetDateTime.class).single();
    }

    @Test
    void writerWaitsForTheServerThatDeletesTheSameObject() throws Exception {
        try (TestServer first = server("first");
                TestServer second = server("second")) {
            byte[] bytes = "the same bytes".getBytes(StandardCharsets.UTF_8);
            ObjectRows rows = first.bean(ObjectRows.class);
            String name = rows.write(bytes).sha256();
            database.jdbc()
                    .sql("update stored_objects set condemned_until = now() + interval '2 seconds'")
                    .update();
            OffsetDateTime until = time("select condemned_until from stored_objects");
            // The other server died while it deleted the object; its time passes.
            second.bean(ObjectRows.class).write(bytes);
            assertThat(time("select now()")).isAfterOrEqualTo(until);
            assertThat(service.objects()).containsExactly(name);
            assertThat(second.bean(ObjectStore.class).isFailing()).isFalse();
        }
    }

    /** The version before migration 39 had the hash of each part of an object in its row, and parts on the disk of each server. */
    @Test
    void objectsOfAVersionWithPartsAnswer() throws IOException {
        useStored();
        for (String table : List.of("catalogues", "symbol_tables", "kept_uploads")) {
            database.jdbc()
                    .sql("alter table " + table + " add column parts bytea")
                    .update();
            database.jdbc()
                    .sql("update " + table + " set parts = object where object is not null")
                    .update();
            database.jdbc()
                    .sql("alter table " + table + " drop constraint " + table + "_place, add constraint " + table
                            + "_place check (num_nonnulls(parts, object) in (0, 2))")
                    .update();
        }
        // Also of later versions, because they were not applied then.
        database.jdbc().sql("""
                        alter table type_sets drop column retired_at; drop index build_identities_by_title;
                        drop table frame_tables, events, event_horizon, undelivered_events, webhooks, watch_entries,
                            watches, watch_tasks, watch_downloads;
                        alter table build_identities drop column uncompared, drop column claims;
                        alter table extraction_lease drop column paused_until;
                        alter table debug_files drop column frames_sha256, drop column frames_version,
                            drop column frames_problem_code, drop column frames_problem_detail,
                            drop column frames_retry_at;
                        alter table build_identities drop column segments, drop column tls;
                        alter table debug_files drop column has_lines
                        """).update();
        database.jdbc()
                .sql(
                        "delete from flyway_schema_history where version in ('39', '40', '41', '42', '43', '44', '45', '46', '47', '48', '49', '50', '51')")
                .update();
        Path copies = Files.createDirectories(folder.resolve("second/objects"));
        Files.writeString(copies.resolve(rows().getFirst() + "-0"), "a part");
        try (TestServer second = reader("second")) {
            answers(second);
            assertThat(copies.toFile().list()).hasSize(1).allMatch(rows()::contains);
        }
    }

    @Test
    void bytesMoveBothWaysWhileQueriesRun() throws Exception {
        try (TestServer writer = server("writer", "offsetd.store.write-to=database");
                TestServer other = server("other")) {
            answers(writer);
            assertThat(rows()).isEmpty();
            AtomicBoolean ended = new AtomicBoolean();
            List<Integer> statuses = new CopyOnWriteArrayList<>();
            Thread queries = Thread.ofPlatform().start(() -> {
                while (!ended.get()) {
                    for (TestServer server : List.of(writer, other)) {
                        server.forgetAnswers();
                        statuses.add(server.offsets(SmallBuild.ID, "point.y").statusCode());
                    }
                }
            });
            JdbcClient jdbc = database.jdbc();
            ObjectStore store = S3Service.store(service.properties("offsetd.store.write-to=database"));
            BlobMoves moves = new BlobMoves(jdbc, new ObjectRows(jdbc, store), store);
            for (int i = 0; i < 3; i++) {
                assertThat(moves.toObjects((table, blobs, bytes) -> {}).blobs()).isEqualTo(2);
                assertThat(rows()).hasSize(2);
                assertThat(moves.toRows((table, blobs, bytes) -> {}).blobs()).isEqualTo(2);
                assertThat(rows()).isEmpty();
                // Readers that know an object look for the row when it is gone.
                assertThat(other.bean(ObjectRows.class).deleteUnused(Duration.ZERO))
                        .isEqualTo(2);
            }
            assertThat(service.objects()).isEmpty();
            answers(writer);
            answers(other);
            ended.set(true);
            queries.join();
            assertThat(statuses).isNotEmpty().containsOnly(200);
            assertThat(moves.toRows((table, blobs, bytes) -> {}).blobs()).isZero();
        }
    }

    @Test
    void moveLeavesDamagedObjects() throws Exception {
        useStored();
        Files.delete(service.file(service.objects().getFirst()));
        JdbcClient jdbc = database.jdbc();
        ObjectStore store = S3Service.store(service.properties());
        BlobMoves.Moved moved =
                new BlobMoves(jdbc, new ObjectRows(jdbc, store), store).toRows((table, blobs, bytes) -> {});
        assertThat(moved.blobs()).isEqualTo(1);
        assertThat(moved.damaged()).isEqualTo(1);
        assertThat(rows()).hasSize(1);
    }
}
