package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.lease.Lease;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.operations.health.ProcessEndsEvent;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A build whose file leaves no thread for requests ends one server of a cluster, not one after the other. */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ChecklistRow(36)
class ProcessEndsIntegrationTests {

    private final GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
    private TestDatabase database;
    private List<TestServer> servers;

    @BeforeAll
    void start(@TempDir Path folder) {
        upstream.open();
        database = TestDatabase.create();
        servers = Stream.of("a", "b", "c")
                .map(name ->
                        TestServer.start(folder.resolve(name), database, "offsetd.upstreams.urls=" + upstream.url()))
                .toList();
    }

    @AfterAll
    void stop() {
        servers.forEach(TestServer::close);
        upstream.close();
    }

    /** Claims the build, whose file is fetched, and begins to read it if there is a thread for it. */
    private Lease claim(TestServer server, BuildId id, boolean begins) {
        server.bean(Builds.class).insertIfAbsent(id);
        LeaseHolder leases = server.bean(LeaseHolder.class);
        Lease lease = leases.claim(id, () -> Optional.of(id)).orElseThrow().lease();
        var progress = leases.startProgress(lease);
        progress.reading();
        if (begins) {
            progress.computing();
        }
        return lease;
    }

    private static void end(TestServer server) {
        server.bean(Extractions.class).recordProcessEnd(new ProcessEndsEvent("test"));
    }

    private Build find(BuildId id) {
        return servers.getFirst().bean(Builds.class).find(id).orElseThrow();
    }

    @Test
    void buildThatEndsAProcessIsPausedInTheWholeClusterAndThenUnusable() throws Exception {
        BuildId id = SmallBuild.ID;
        claim(servers.get(0), id, true);
        end(servers.get(0));

        assertThat(find(id).state()).isEqualTo(BuildState.FAILED);
        assertThat(find(id).retryAfter()).isGreaterThan(Duration.ofMinutes(9));
        for (TestServer server : servers) {
            HttpResponse<String> refused = server.offsets(id, "point");
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(Json.of(refused).path("code").asString()).isEqualTo("server_ended");
            assertThat(refused.headers().firstValueAsLong("Retry-After").orElseThrow())
                    .isBetween(500L, 600L);
        }

        database.jdbc()
                .sql("update builds set retry_at = now() where build_id = :id")
                .param("id", id.toBytes())
                .update();
        claim(servers.get(1), id, true);
        end(servers.get(1));

        assertThat(find(id).state()).isEqualTo(BuildState.UNUSABLE);
        assertThat(find(id).retryAfter()).isGreaterThan(Duration.ofHours(23));
        for (TestServer server : servers) {
            assertThat(server.offsets(id, "point").statusCode()).isEqualTo(422);
        }
        assertThat(upstream.hits()).as("no server reads the file again").isZero();
    }

    @Test
    void buildThatWaitsToBeReadIsNotToBlame() {
        BuildId id = BuildId.parse("ab".repeat(20));
        Lease lease = claim(servers.get(2), id, false);
        end(servers.get(2));
        assertThat(find(id).state()).isEqualTo(BuildState.WANTED);
        new LeaseHolder.Claimed<>(servers.get(2).bean(LeaseHolder.class), lease, id).close();
    }
}
