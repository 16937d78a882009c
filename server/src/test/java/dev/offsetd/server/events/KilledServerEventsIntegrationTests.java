package dev.offsetd.server.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that is killed while it stores builds has an event for each build that is stored, and for no other. */
@Tag("long")
@Timeout(600)
class KilledServerEventsIntegrationTests {

    private static final int ROUNDS = 5;

    /** Builds that are requested of each server before it is killed. */
    private static final int BUILDS = 60;

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final TestDatabase database = TestDatabase.create();
    private final AtomicInteger cut = new AtomicInteger();

    @Test
    @ChecklistRow(14)
    void everyStoredBuildHasOneEventAndNoOtherHasAny() throws Exception {
        Random random = new Random(44);
        try (CountingUpstream upstream = new CountingUpstream()) {
            Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
            environment.put("DEBUGINFOD_URLS", upstream.url("only"));
            environment.put("OFFSETD_LEASE_DURATION", "2s");
            environment.put("OFFSETD_LEASE_HEARTBEAT", "500ms");
            for (int round = 0; round < ROUNDS; round++) {
                killWhileStoring(round, environment, random, upstream);
                long wrong = database.jdbc().sql("""
                                select count(*) from
                                    (select build_id from builds where state = 'extracted') stored
                                    full join (select build_id, count(*) as n from events where kind = 'build_stored'
                                        group by build_id) reported using (build_id)
                                where reported.n is distinct from 1
                                    or build_id not in (select build_id from builds where state = 'extracted')
                                """).query(Long.class).single();
                assertThat(wrong).as("round %d", round).isZero();
            }
        }
        long stored = database.jdbc()
                .sql("select count(*) from builds where state = 'extracted'")
                .query(Long.class)
                .single();
        assertThat(stored).as("builds stored before the kills").isPositive();
        assertThat(cut.get()).as("requests that a kill has cut off").isPositive();
    }

    private void killWhileStoring(int round, Map<String, String> environment, Random random, CountingUpstream upstream)
            throws Exception {
        try (ServerProcess server =
                ServerProcess.start(folder.resolve("data" + round), folder.resolve("log" + round), environment)) {
            AtomicInteger answered = new AtomicInteger();
            CompletableFuture<Void> enough = new CompletableFuture<>();
            int killAfter = 5 + random.nextInt(BUILDS / 2);
            List<CompletableFuture<Void>> requests = new Random(round)
                    .ints(BUILDS)
                    .mapToObj(number -> BuildId.of(HexFormat.of()
                            .parseHex("%08x%08x"
                                    .formatted(round, number)
                                    .repeat(3)
                                    .substring(0, 40))))
                    .peek(id -> upstream.put(id, SmallBuild.debugFile(id)))
                    .map(id -> http.sendAsync(
                                    HttpRequest.newBuilder(
                                                    URI.create(server.url() + "/v1/offsets/" + id + "?types=point"))
                                            .build(),
                                    BodyHandlers.discarding())
                            .<Void>handle((answer, failure) -> {
                                if (failure != null) {
                                    cut.incrementAndGet();
                                } else if (answered.incrementAndGet() == killAfter) {
                                    enough.complete(null);
                                }
                                return null;
                            }))
                    .toList();
            enough.join();
            server.process().destroyForcibly().onExit().join();
            requests.forEach(CompletableFuture::join);
        }
    }
}
