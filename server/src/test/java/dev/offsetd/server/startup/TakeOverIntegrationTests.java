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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two servers on one database with the default lease, one of which is killed or frozen while it works. */
@Timeout(180)
class TakeOverIntegrationTests {

    /** Time limit of the reliability checklist. */
    private static final Duration PROMISED = Duration.ofSeconds(20);

    /** For a busy machine. */
    private static final Duration MARGIN = Duration.ofSeconds(8);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "STOP"})
    @ChecklistRow(14)
    void leaseHolderThatIsKilledOrFrozenIsReplaced(String signal) throws Exception {
        TestDatabase database = TestDatabase.create();
        try (GatedUpstream hanging = new GatedUpstream(SmallBuild.debugFile());
                GatedUpstream sound = new GatedUpstream(SmallBuild.debugFile());
                HttpClient http = HttpClient.newHttpClient();
                TestServer other =
                        TestServer.start(folder.resolve("other"), database, "offsetd.upstreams.urls=" + sound.url())) {
            sound.open();
            Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
            environment.put("DEBUGINFOD_URLS", hanging.url());
            environment.put("OFFSETD_UPSTREAMS_HEADERSTIMEOUT", "60s");
            try (ServerProcess holder =
                    ServerProcess.start(folder.resolve("holder"), folder.resolve("holder.log"), environment)) {
                var _ = http.sendAsync(
                        HttpRequest.newBuilder(
                                        URI.create(holder.url() + "/v1/offsets/" + SmallBuild.ID + "?types=point"))
                                .build(),
                        BodyHandlers.discarding());
                while (hanging.hits() == 0) {
                    Thread.sleep(20);
                }
                // The lease has been renewed at least once.
                Thread.sleep(Duration.ofSeconds(5));
                long gone = System.nanoTime();
                holder.signal(signal);

                CompletableFuture<HttpResponse<String>> answer =
                        CompletableFuture.supplyAsync(() -> other.offsets(SmallBuild.ID, "point", "Prefer", "wait=30"));
                while (sound.hits() == 0 && !answer.isDone()) {
                    Thread.sleep(10);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - gone)).isLessThanOrEqualTo(PROMISED.plus(MARGIN));
                assertThat(answer.join().statusCode()).isEqualTo(200);
                assertThat(sound.hits()).isEqualTo(1);
            }
        }
    }
}
