package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.server.builds.extraction.FrameReads;
import dev.offsetd.server.builds.identity.ExecutableFacts;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A transaction that waits for a build holds nothing that belongs to it, so two of them cannot deadlock. */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockOrderIntegrationTests {

    private static final BuildId ID = SmallBuild.ID;
    private static final Architecture ARCHITECTURE = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);

    private final TestDatabase database = TestDatabase.create();
    private TestServer server;
    private Identities identities;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
        identities = server.bean(Identities.class);
        assertThat(server.offsets(ID, "point").statusCode()).isEqualTo(200);
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private Identities.Work work() {
        database.jdbc().sql("update build_identities set work_due = now()").update();
        return identities.claim(Duration.ofHours(1)).orElseThrow();
    }

    @Test
    void nameOfAnExecutable() throws Exception {
        assertLocksTheBuildFirst(() -> identities.add(ID, ARCHITECTURE, Identity.UNKNOWN));
        Identities.Work work = work();
        assertLocksTheBuildFirst(() -> identities.add(work, ARCHITECTURE, Identity.UNKNOWN));
    }

    @Test
    void typeSets() throws Exception {
        Identities.Work work = work();
        assertLocksTheBuildFirst(() -> identities.storeSets(work, List.of()));
    }

    @Test
    void factsOfAnExecutable() throws Exception {
        ExecutableFacts facts = new ExecutableFacts(List.of(new FileOffsets.Segment(0, 0, 1)), null);
        assertLocksTheBuildFirst(() -> identities.storeExecutable(ID, facts));
    }

    @Test
    void damagedFunctionsAndLines() throws Exception {
        long generation =
                server.bean(Builds.class).find(ID).map(Build::generation).orElseThrow();
        assertLocksTheBuildFirst(() -> server.bean(FrameReads.class).discard(ID, generation));
    }

    @Test
    void keys() throws Exception {
        FileKeys keys = new FileKeys(List.of(BuildId.ofGo("one/a").orElseThrow()));
        assertLocksTheBuildFirst(() -> server.bean(BuildKeys.class).record(ID, keys, Origin.LOCAL));
    }

    private void assertLocksTheBuildFirst(Runnable change) throws Exception {
        try (Connection other = database.dataSource().getConnection();
                PreparedStatement lock =
                        other.prepareStatement("select 1 from builds where build_id = ? for no key update")) {
            other.setAutoCommit(false);
            lock.setBytes(1, ID.toBytes());
            lock.execute();
            CompletableFuture<Void> running = CompletableFuture.runAsync(change);
            while (lockWaits() == 0 && !running.isDone()) {
                Thread.sleep(10);
            }
            assertThat(running).isNotDone();
            for (String table : List.of("build_identities", "debug_files", "build_aliases")) {
                database.jdbc()
                        .sql("select 1 from " + table + " where build_id = :id for update nowait")
                        .param("id", ID.toBytes())
                        .query(Integer.class)
                        .list();
            }
            other.rollback();
            running.get(60, TimeUnit.SECONDS);
        }
    }

    private int lockWaits() {
        return database.jdbc()
                .sql("select count(*) from pg_stat_activity where datname = current_database()"
                        + " and wait_event_type = 'Lock'")
                .query(Integer.class)
                .single();
    }
}
