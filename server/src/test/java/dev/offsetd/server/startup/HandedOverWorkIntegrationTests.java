package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers on one database. One of them, a separate process, is suspended or stopped while it works on a build, and
 * the other finishes the work. {@code StoryIntegrationTests} covers a server that is killed.
 */
@Timeout(180)
class HandedOverWorkIntegrationTests {

    private static final Duration SHUTDOWN = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final GatedUpstream hanging = new GatedUpstream(SmallBuild.debugFile());
    private final GatedUpstream sound = new GatedUpstream(SmallBuild.debugFile());
    private TestDatabase database;
    private ServerProcess worker;
    private TestServer other;
    private CompletableFuture<HttpResponse<String>> call;

    @BeforeEach
    void startWork() throws Exception {
        sound.open();
        database = TestDatabase.create();
        other = TestServer.start(
                folder.resolve("other"),
                database,
                "offsetd.upstreams.urls=" + sound.url(),
                "offsetd.lease.duration=6s",
                "offsetd.lease.heartbeat=500ms",
                "offsetd.lease.poll=50ms");
        Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
        environment.put("DEBUGINFOD_URLS", hanging.url());
        environment.put("OFFSETD_UPSTREAMS_HEADERSTIMEOUT", "60s");
        environment.put("OFFSETD_LEASE_DURATION", "6s");
        environment.put("OFFSETD_LEASE_HEARTBEAT", "500ms");
        environment.put("OFFSETD_LEASE_POLL", "50ms");
        environment.put("OFFSETD_DRAINDELAY", "6s");
        worker = ServerProcess.start(folder.resolve("worker"), folder.resolve("worker.log"), environment);
        call = http.sendAsync(
                HttpRequest.newBuilder(URI.create(worker.url() + "/v1/offsets/" + SmallBuild.ID + "?types=point"))
                        .header("Prefer", "wait=30")
                        .build(),
                BodyHandlers.ofString());
        while (hanging.hits() == 0) {
            Thread.sleep(20);
        }
    }

    @AfterEach
    void stop() {
        worker.close();
        other.close();
        hanging.close();
        sound.close();
        http.close();
    }

    private int count(String rows) {
        return database.jdbc()
                .sql("select count(*) from " + rows)
                .query(Integer.class)
                .single();
    }

    /** Returns everything stored about the build, with the transaction that wrote each row. */
    private List<Map<String, @Nullable Object>> rows() {
        return database.jdbc()
                .sql(
                        "select b.xmin::text, b::text, c.xmin::text, md5(c.blob), l.xmin::text, l::text, o.xmin::text, o::text"
                                + " from builds b join catalogues c using (build_id) join extraction_lease l using (build_id)"
                                + " join source_outcomes o using (build_id) order by o.source")
                .query()
                .listOfRows();
    }

    @Test
    @ChecklistRow(15)
    void serverThatWakesAfterItsLeaseChangesNothing() throws Exception {
        worker.signal("STOP");
        assertThat(other.offsets(SmallBuild.ID, "point", "Prefer", "wait=30").statusCode())
                .isEqualTo(200);
        List<Map<String, @Nullable Object>> before = rows();
        assertThat(before).isNotEmpty();
        hanging.open();
        worker.signal("CONT");
        // The client of the suspended server gets the result that the other server stored.
        assertThat(call)
                .succeedsWithin(Duration.ofSeconds(30))
                .satisfies(answer ->
                        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200));
        assertThat(worker.output()).contains("attempt 1 has been taken over");
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    @ChecklistRow(34)
    void serverThatIsToldToStopHandsItsWorkOverAtOnce() throws Exception {
        HttpRequest ready =
                HttpRequest.newBuilder(URI.create(worker.url() + "/readyz")).build();
        assertThat(http.send(ready, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        long began = System.nanoTime();
        worker.signal("TERM");
        assertThat(call).succeedsWithin(SHUTDOWN).satisfies(answer -> {
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        });
        assertThat(count("extraction_lease where owner is null")).isEqualTo(1);
        assertThat(http.send(ready, BodyHandlers.ofString()).statusCode()).isEqualTo(503);
        // Less than a lease takes to expire.
        assertThat(other.offsets(SmallBuild.ID, "point", "Prefer", "wait=5").statusCode())
                .isEqualTo(200);
        worker.process()
                .onExit()
                .orTimeout(SHUTDOWN.toSeconds(), TimeUnit.SECONDS)
                .join();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SHUTDOWN);
        assertThat(worker.process().exitValue()).isZero();
        assertThat(worker.output()).doesNotContain("Exception", "ERROR");
    }
}
