package dev.offsetd.server.builds.demand;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * A flood of made-up build-ids, which must keep the tables within their limits. By default it sends 5,000 ids against a
 * limit of 500; {@code -Doffsetd.test.hostile-ids=1000000} sends a million against the server's default limit.
 */
@ChecklistRow({24})
@Timeout(300)
class HostileIdsIntegrationTests {

    private static final Logger log = LoggerFactory.getLogger(HostileIdsIntegrationTests.class);
    private static final int DEFAULT_LIMIT = 100_000;

    private static final int IDS = Integer.getInteger("offsetd.test.hostile-ids", 5_000);
    private static final int LIMIT = Math.min(DEFAULT_LIMIT, IDS / 10);
    private static final int CALLERS = 8;
    private static final int BY_HTTP = 500;

    @TempDir
    private Path folder;

    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger mostDemanded = new AtomicInteger();

    @Test
    void madeUpIdsKeepTheTablesUnderTheirLimits() throws Exception {
        TestDatabase database = TestDatabase.create();
        JdbcClient jdbc = database.jdbc();
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (TestServer server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.builds.max-unknown=" + LIMIT,
                "offsetd.demand.max=" + LIMIT,
                "offsetd.demand.max-pending=" + LIMIT / 25,
                "offsetd.demand.flush=20ms",
                // The test only counts rows, so commits need not survive a crash.
                "spring.datasource.hikari.connection-init-sql=set synchronous_commit = off",
                "logging.level.dev.offsetd.server.builds.extraction=warn",
                "logging.level.dev.offsetd.server.builds=warn")) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            for (int i = 0; i < 20; i++) {
                server.offsets(SmallBuild.UNKNOWN_ID, "point");
            }
            server.bean(Demand.class).flush();
            long begin = System.nanoTime();
            flood(server, jdbc);
            double seconds = (System.nanoTime() - begin) / 1e9;

            server.bean(Demand.class).flush();
            measure(jdbc);
            log.info(
                    "{} ids in {} s; at most {} builds and {} in demand, {} allowed",
                    IDS,
                    Math.round(seconds),
                    most,
                    mostDemanded,
                    LIMIT);
            assertThat(most.get()).isBetween(LIMIT / 2, LIMIT);
            assertThat(mostDemanded.get()).isBetween(LIMIT / 2, LIMIT);
            assertThat(server.offsets(SmallBuild.ID, "line").statusCode())
                    .as("what is stored is never touched")
                    .isEqualTo(200);
            assertThat(jdbc.sql("select asked from demand where build_id = :id")
                            .param("id", SmallBuild.UNKNOWN_ID.toBytes())
                            .query(Long.class)
                            .single())
                    .as("what is asked for again and again outlives what was asked for once")
                    .isEqualTo(20);
        }
    }

    private void flood(TestServer server, JdbcClient jdbc) throws Exception {
        AtomicInteger next = new AtomicInteger();
        List<Future<?>> callers = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(CALLERS)) {
            for (int caller = 0; caller < CALLERS; caller++) {
                Random random = new Random(caller);
                callers.add(threads.submit(() -> {
                    for (int number = next.getAndIncrement(); number < IDS; number = next.getAndIncrement()) {
                        byte[] id = new byte[20];
                        random.nextBytes(id);
                        ask(server, BuildId.of(id), number);
                        if (number % (IDS / 200) == 0) {
                            measure(jdbc);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
        }
    }

    /** Sends the first requests over HTTP. For the rest, calls what the request handler calls, which is faster. */
    private static void ask(TestServer server, BuildId id, int number) throws Exception {
        if (number < BY_HTTP) {
            HttpResponse<String> answer = server.offsets(id, "point");
            while (answer.statusCode() == 503) {
                Thread.sleep(50);
                answer = server.offsets(id, "point");
            }
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(404);
            return;
        }
        if (server.bean(Extractions.class).request(id) instanceof BuildStatus.InProgress running) {
            running.result().get();
        }
        server.bean(Demand.class).missed(id, Cause.NOT_FOUND);
    }

    private void measure(JdbcClient jdbc) {
        most.accumulateAndGet(count(jdbc, "builds where state <> 'extracted'"), Math::max);
        mostDemanded.accumulateAndGet(count(jdbc, "demand"), Math::max);
    }

    private static int count(JdbcClient jdbc, String from) {
        return jdbc.sql("select count(*) from " + from).query(Integer.class).single();
    }
}
