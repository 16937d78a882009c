package dev.offsetd.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.S3Service;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is killed after it has written an object and before the row that refers to it. */
@Timeout(300)
class KilledWriterIntegrationTests {

    private static final BuildId ACKNOWLEDGED = SmallBuild.UNKNOWN_ID;
    private static final BuildId INTERRUPTED = SmallBuild.ID;

    /** Number of the lock that rows wait for. */
    private static final int GATE = 2400;

    @TempDir
    private Path folder;

    private final TestDatabase database = TestDatabase.create();

    @ParameterizedTest
    @ValueSource(strings = {"catalogues", "kept_uploads"})
    @ChecklistRow(41)
    void killedServerLosesNoAcknowledgedWriteAndLeavesAnUnusedObject(String table) throws Exception {
        try (S3Service service = S3Service.create();
                TestServer survivor = TestServer.start(
                        folder.resolve("survivor"),
                        database,
                        service.properties("offsetd.offline=true", "offsetd.uploads.keep=true"));
                Connection gate = database.dataSource().getConnection();
                HttpClient http = HttpClient.newHttpClient()) {
            Publisher ci = Publisher.of(survivor, "ci");
            List<String> before;
            try (ServerProcess killed = start(service)) {
                assertThat(http.send(
                                        upload(killed, ci, ACKNOWLEDGED, SmallBuild.debugFile(ACKNOWLEDGED)),
                                        BodyHandlers.ofString())
                                .statusCode())
                        .isEqualTo(201);
                before = service.objects();
                assertThat(referredTo()).isEqualTo(before);
                close(gate, table);
                CompletableFuture<HttpResponse<String>> interrupted = http.sendAsync(
                        upload(killed, ci, INTERRUPTED, SmallBuild.otherLayouts()), BodyHandlers.ofString());
                awaitGate();
                killed.process().destroyForcibly().onExit().join();
                assertThat(interrupted).failsWithin(Duration.ofSeconds(30));
                endWaitingStatements();
            }
            assertThat(service.objects()).hasSizeGreaterThan(before.size());
            unlock(gate);

            assertThat(survivor.offsets(ACKNOWLEDGED, "point.y").statusCode()).isEqualTo(200);
            assertThat(survivor.file("GET", "/buildid/" + ACKNOWLEDGED + "/debuginfo")
                            .body())
                    .isEqualTo(SmallBuild.debugFile(ACKNOWLEDGED));
            assertThat(service.objects()).as("no row without its object").containsAll(referredTo());
            ObjectRows objects = survivor.bean(ObjectRows.class);
            assertThat(objects.deleteUnused(Duration.ofHours(1))).isZero();
            List<String> unused = new ArrayList<>(service.objects());
            unused.removeAll(referredTo());
            assertThat(unused).isNotEmpty();
            assertThat(objects.deleteUnused(Duration.ZERO)).isEqualTo(unused.size());
            assertThat(service.objects()).isEqualTo(referredTo());

            // The client sends the file again, as after any lost connection.
            assertThat(ci.put(survivor, INTERRUPTED, SmallBuild.otherLayouts()).statusCode())
                    .isIn(200, 201);
            assertThat(survivor.file("GET", "/buildid/" + INTERRUPTED + "/debuginfo")
                            .body())
                    .isEqualTo(SmallBuild.otherLayouts());
            assertThat(service.objects()).isEqualTo(referredTo());
        }
    }

    private ServerProcess start(S3Service service) throws IOException, InterruptedException {
        Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
        environment.putAll(service.environment());
        environment.put("OFFSETD_OFFLINE", "true");
        environment.put("OFFSETD_UPLOADS_KEEP", "true");
        return ServerProcess.startWithFaults(folder.resolve("killed"), folder.resolve("killed.log"), environment);
    }

    private static HttpRequest upload(ServerProcess server, Publisher ci, BuildId id, byte[] file) {
        return HttpRequest.newBuilder(URI.create(server.url() + "/v1/builds/" + id + "/debuginfo"))
                .header("Authorization", "Bearer " + ci.token())
                .header("Content-Type", "application/octet-stream")
                .PUT(BodyPublishers.ofByteArray(file))
                .build();
    }

    /** Lets new rows of the table wait until the connection closes. */
    private void close(Connection gate, String table) throws Exception {
        try (Statement lock = gate.createStatement()) {
            lock.execute("""
                    create function gate() returns trigger language plpgsql as $$
                    begin
                        perform pg_advisory_xact_lock_shared(%d);
                        return new;
                    end
                    $$
                    """.formatted(GATE));
            lock.execute("create trigger gate before insert on " + table + " for each row execute function gate()");
            lock.execute("select pg_advisory_lock(" + GATE + ")");
        }
    }

    private static void unlock(Connection gate) throws SQLException {
        try (Statement unlock = gate.createStatement()) {
            unlock.execute("select pg_advisory_unlock(" + GATE + ")");
        }
    }

    private void awaitGate() throws InterruptedException {
        while (database.jdbc()
                        .sql(
                                "select count(*) from pg_locks where locktype = 'advisory' and objid = :gate and not granted")
                        .param("gate", GATE)
                        .query(Integer.class)
                        .single()
                == 0) {
            Thread.sleep(50);
        }
    }

    /** PostgreSQL would complete a statement that has begun, although its client is gone. */
    private void endWaitingStatements() throws InterruptedException {
        while (!database.jdbc()
                .sql(
                        "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = :gate and not granted")
                .param("gate", GATE)
                .query(Boolean.class)
                .list()
                .isEmpty()) {
            Thread.sleep(50);
        }
    }

    /** Returns the objects that rows refer to. */
    private List<@Nullable String> referredTo() {
        return database.jdbc().sql("""
                        select encode(object, 'hex') from catalogues where object is not null
                        union select encode(object, 'hex') from symbol_tables where object is not null
                        union select encode(object, 'hex') from kept_uploads where object is not null
                        order by 1
                        """).query(String.class).list();
    }
}
