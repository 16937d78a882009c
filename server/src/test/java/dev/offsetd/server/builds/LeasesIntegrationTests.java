package dev.offsetd.server.builds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.lease.Lease;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** One server works on a build. A server that died or was suspended does no harm. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ChecklistRow({14, 15})
class LeasesIntegrationTests {

    /** Key of an advisory lock. */
    private static final int GATE = 77_301;

    /** Build of the current test; both servers are shared by all tests. */
    private BuildId id = BuildId.parse("00".repeat(20));

    private JdbcClient jdbc;
    private TestServer a;
    private TestServer b;

    TestDatabase database() {
        return TestDatabase.create();
    }

    @BeforeAll
    void start(@TempDir Path folder) {
        TestDatabase database = database();
        jdbc = database.jdbc();
        a = start(folder.resolve("a"), database);
        b = start(folder.resolve("b"), database);
    }

    @BeforeEach
    void addBuild() {
        id = BuildId.parse(UUID.randomUUID().toString().replace("-", ""));
        a.bean(Builds.class).insertIfAbsent(id);
    }

    private static TestServer start(Path data, TestDatabase database) {
        return TestServer.start(
                data,
                database,
                "offsetd.offline=true",
                "offsetd.lease.duration=1m",
                "offsetd.lease.heartbeat=200ms",
                "offsetd.lease.poll=50ms");
    }

    @AfterAll
    void stop() {
        b.close();
        a.close();
    }

    private Optional<Lease> claim(TestServer server) {
        return server.bean(LeaseHolder.class)
                .claim(id, () -> server.bean(Builds.class).find(id).filter(build -> build.state() == BuildState.WANTED))
                .map(LeaseHolder.Claimed::lease);
    }

    @Test
    void onlyOneOfManyClaimantsGetsTheLease() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Optional<Lease>>> claims = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                claims.add(() -> claim(a));
                claims.add(() -> claim(b));
            }
            int winners = 0;
            for (Future<Optional<Lease>> claim : threads.invokeAll(claims)) {
                winners += claim.get().isPresent() ? 1 : 0;
            }
            assertThat(winners).isEqualTo(1);
        }
    }

    @Test
    void leaseOfALivingServerIsRenewed() throws InterruptedException {
        assertThat(claim(a)).isPresent();
        Instant first = leaseUntil();
        while (!leaseUntil().isAfter(first)) {
            Thread.sleep(10);
        }
        assertThat(claim(b)).isEmpty();
    }

    private Instant leaseUntil() {
        return jdbc.sql("select lease_until from extraction_lease where build_id = :id")
                .param("id", id.toBytes())
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }

    @Test
    void leaseOfADeadServerExpiresAndItsAttemptCounts() {
        jdbc.sql("insert into extraction_lease (build_id, owner, lease_until, attempt)"
                        + " values (:id, 'dead', now() + interval '1 hour', 7)")
                .param("id", id.toBytes())
                .update();
        assertThat(claim(b)).isEmpty();
        CompletableFuture<Void> idle = b.bean(LeaseHolder.class).whenIdle(id);
        jdbc.sql("update extraction_lease set lease_until = now() where build_id = :id")
                .param("id", id.toBytes())
                .update();
        idle.orTimeout(1, TimeUnit.MINUTES).join();
        assertThat(claim(b))
                .hasValueSatisfying(lease -> assertThat(lease.attempt()).isEqualTo(8));
    }

    private void release(Lease lease) {
        new LeaseHolder.Claimed<>(a.bean(LeaseHolder.class), lease, id).close();
    }

    @Test
    void releasedLeaseCanBeClaimedAtOnce() {
        release(claim(a).orElseThrow());
        assertThat(claim(b)).isPresent();
    }

    /** An interrupted virtual thread cannot use a socket. */
    @Test
    void leaseIsReleasedByAThreadThatIsInterrupted() throws Exception {
        Lease lease = claim(a).orElseThrow();
        Thread.ofVirtual()
                .start(() -> {
                    Thread.currentThread().interrupt();
                    release(lease);
                })
                .join();
        assertThat(claim(b)).isPresent();
    }

    @Test
    void finishedWorkIsNotClaimedAgain() {
        Lease lease = claim(a).orElseThrow();
        inTransaction(a, () -> finish(a, lease));
        assertThat(claim(b)).isEmpty();
        assertThat(jdbc.sql("select owner is null from extraction_lease where build_id = :id")
                        .param("id", id.toBytes())
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }

    @Test
    void workerThatLostItsLeaseUpdatesNoRows() {
        Lease old = claim(a).orElseThrow();
        jdbc.sql("update extraction_lease set owner = 'another', attempt = attempt + 1 where build_id = :id")
                .param("id", id.toBytes())
                .update();
        assertThatThrownBy(() -> inTransaction(a, () -> {
                    jdbc.sql("select 1").query(Integer.class).single();
                    finish(a, old);
                }))
                .isInstanceOf(Lease.LeaseLostException.class);
        assertThat(a.bean(Builds.class).find(id).orElseThrow().state()).isEqualTo(BuildState.WANTED);
        assertThat(jdbc.sql("select owner from extraction_lease where build_id = :id")
                        .param("id", id.toBytes())
                        .query(String.class)
                        .single())
                .isEqualTo("another");
    }

    @Test
    void sameServerCannotFinishWithAnEarlierAttempt() {
        Lease first = claim(a).orElseThrow();
        release(first);
        Lease second = claim(a).orElseThrow();
        assertThat(second.attempt()).isEqualTo(first.attempt() + 1);
        assertThatThrownBy(() -> inTransaction(a, () -> finish(a, first))).isInstanceOf(Lease.LeaseLostException.class);
        assertThat(a.bean(Builds.class).find(id).orElseThrow().running()).isTrue();
    }

    @Test
    void serverThatStopsKeepsNoLeaseThatItIsClaiming(@TempDir Path folder) throws Exception {
        TestDatabase own = database();
        TestServer stopping = start(folder, own);
        LeaseHolder holder = stopping.bean(LeaseHolder.class);
        own.jdbc().sql("""
                        create function gate() returns trigger language plpgsql as
                            $$ begin perform pg_advisory_xact_lock_shared(%d); return null; end $$;
                        create constraint trigger slow_commit after insert on extraction_lease
                            deferrable initially deferred for each row execute function gate()
                        """.formatted(GATE)).update();
        HttpRequest query = HttpRequest.newBuilder(URI.create(stopping.url() + "/v1/offsets/" + id + "?types=point"))
                .build();
        String committing =
                "select count(*) from pg_locks where locktype = 'advisory' and not granted and objid = " + GATE;
        try (HttpClient http = HttpClient.newHttpClient();
                Connection gate = own.dataSource().getConnection();
                Statement lock = gate.createStatement()) {
            lock.execute("select pg_advisory_lock(" + GATE + ")");
            CompletableFuture<HttpResponse<String>> call = http.sendAsync(query, BodyHandlers.ofString());
            while (count(own, committing) == 0) {
                Thread.sleep(10);
            }
            Thread stop = Thread.ofPlatform().start(stopping::close);
            while (!holder.isClosed()) {
                Thread.sleep(10);
            }
            // A stop that did not wait for the claim would interrupt it now.
            Thread.sleep(500);
            lock.execute("select pg_advisory_unlock(" + GATE + ")");
            stop.join();
            assertThat(call)
                    .succeedsWithin(Duration.ofSeconds(20))
                    .satisfies(answer -> assertThat(answer.statusCode()).isEqualTo(202));
        }
        // The database goes on to commit even after the connection is closed.
        while (count(own, committing) > 0) {
            Thread.sleep(10);
        }
        assertThat(count(own, "select count(*) from extraction_lease")).isEqualTo(1);
        assertThat(count(own, "select count(*) from extraction_lease where owner is not null"))
                .isZero();
    }

    private static int count(TestDatabase database, String query) {
        return database.jdbc().sql(query).query(Integer.class).single();
    }

    private static void inTransaction(TestServer server, Runnable work) {
        new TransactionTemplate(server.bean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> work.run());
    }

    private static void finish(TestServer server, Lease lease) {
        var _ = server.bean(BuildStates.class)
                .endExtracted(
                        lease,
                        new StoredFile(
                                new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN),
                                Origin.LOCAL,
                                "/folder",
                                "00".repeat(32),
                                1,
                                "build-id note",
                                PartVersions.CURRENT,
                                Instant.EPOCH),
                        "",
                        List.of());
    }
}
