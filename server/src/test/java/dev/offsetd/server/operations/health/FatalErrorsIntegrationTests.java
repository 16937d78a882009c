package dev.offsetd.server.operations.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that cannot do its work ends, so that its supervisor starts it anew. */
@Timeout(180)
class FatalErrorsIntegrationTests {

    /** On a machine that compiles beside it. Supervisors wait a second or more. */
    private static final Duration PROMPT = Duration.ofSeconds(3);

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    private ServerProcess start(String... jvmOptions) throws Exception {
        return ServerProcess.startWithFaults(
                folder.resolve("data"),
                folder.resolve("server.log"),
                ServerProcess.on(TestDatabase.create()),
                jvmOptions);
    }

    private static HttpRequest request(ServerProcess server, String pathAndQuery) {
        return HttpRequest.newBuilder(URI.create(server.url() + pathAndQuery))
                .timeout(Duration.ofSeconds(30))
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "heap, -XX:+ExitOnOutOfMemoryError, Terminating due to java.lang.OutOfMemoryError",
        "heap, -XX:-ExitOnOutOfMemoryError, offsetd: fatal: out of memory: Java heap space",
        "direct, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: out of memory: Cannot reserve",
        "direct-in-task, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: out of memory: Cannot reserve",
        "direct-in-thread, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: out of memory: Cannot reserve",
        "acceptor, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: the thread that accepts or polls connections is dead",
        "poller, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: the thread that accepts or polls connections is dead"
    })
    @ChecklistRow(35)
    void processThatCannotGoOnEndsAndSaysWhy(String fault, String option, String words) throws Exception {
        try (ServerProcess server = start("-Xmx160m", "-XX:MaxDirectMemorySize=32m", option)) {
            var _ = http.sendAsync(request(server, "/version?fault=" + fault), BodyHandlers.ofString());
            if (fault.equals("acceptor")) {
                wake(server);
            }

            assertThat(server.process().waitFor(60, TimeUnit.SECONDS))
                    .as(server.output())
                    .isTrue();

            assertThat(server.process().exitValue()).as(server.output()).isEqualTo(FatalErrors.EXIT_CODE);
            assertThat(server.output()).contains(words);
        }
    }

    /** The thread that accepts connections ends after the next one. */
    private static void wake(ServerProcess server) throws InterruptedException {
        int port = URI.create(server.url()).getPort();
        for (int i = 0; i < 20 && server.process().isAlive(); i++) {
            Thread.sleep(200);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(socket.isConnected()).isTrue();
            } catch (IOException e) {
                return;
            }
        }
    }

    @Test
    @ChecklistRow(36)
    void checksAreAnsweredPromptlyWhileTheHeapIsNearlyFull() throws Exception {
        try (ServerProcess server = start("-Xmx160m", "-XX:+ExitOnOutOfMemoryError")) {
            assertThat(http.send(request(server, "/version?fault=most-of-heap"), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            List<Duration> times = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                for (String path : HealthValve.PATHS) {
                    long began = System.nanoTime();
                    HttpResponse<String> check = http.send(request(server, path), BodyHandlers.ofString());
                    times.add(Duration.ofNanos(System.nanoTime() - began));
                    assertThat(check.statusCode()).as(check.body()).isEqualTo(200);
                }
            }
            // The median, because other programs share the processors with the test.
            Collections.sort(times);
            assertThat(times.get(times.size() / 2)).isLessThan(PROMPT);
            assertThat(server.process().isAlive()).isTrue();
        }
    }

    @Test
    @ChecklistRow(35)
    void stackThatOverflowsEndsOneRequest() throws Exception {
        try (ServerProcess server = start("-XX:+ExitOnOutOfMemoryError")) {
            assertThat(http.send(request(server, "/version?fault=stack"), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(500);
            assertThat(http.send(request(server, "/version"), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    @ChecklistRow({14, 35})
    void workOfAProcessThatEndedItselfIsTakenOverWhenItsLeaseRunsOut() throws Exception {
        TestDatabase database = TestDatabase.create();
        try (GatedUpstream hanging = new GatedUpstream(SmallBuild.debugFile());
                GatedUpstream sound = new GatedUpstream(SmallBuild.debugFile())) {
            sound.open();
            Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
            environment.put("DEBUGINFOD_URLS", hanging.url());
            environment.put("OFFSETD_UPSTREAMS_HEADERSTIMEOUT", "2m");
            environment.put("OFFSETD_LEASE_DURATION", "3s");
            environment.put("OFFSETD_LEASE_HEARTBEAT", "500ms");
            try (ServerProcess worker = ServerProcess.startWithFaults(
                            folder.resolve("data"),
                            folder.resolve("server.log"),
                            environment,
                            "-XX:MaxDirectMemorySize=32m");
                    TestServer other = TestServer.start(
                            folder.resolve("other"),
                            database,
                            "offsetd.upstreams.urls=" + sound.url(),
                            "offsetd.lease.duration=3s",
                            "offsetd.lease.heartbeat=500ms")) {
                var _ = http.sendAsync(
                        request(worker, "/v1/offsets/" + SmallBuild.ID + "?types=point"), BodyHandlers.ofString());
                while (hanging.hits() == 0) {
                    Thread.sleep(20);
                }
                var _ = http.sendAsync(request(worker, "/version?fault=direct"), BodyHandlers.ofString());
                assertThat(worker.process().waitFor(60, TimeUnit.SECONDS)).isTrue();

                assertThat(other.offsets(SmallBuild.ID, "point", "Prefer", "wait=30")
                                .statusCode())
                        .isEqualTo(200);
                assertThat(sound.hits()).isEqualTo(1);
            }
        }
    }

    @Test
    @ChecklistRow(38)
    void serverOutlivesTheEndOfItsDatabaseAndEndsWhenThatDoesNotStayUp() throws Exception {
        Path data = folder.resolve("data");
        try (ServerProcess server = ServerProcess.startWithFaults(
                data, folder.resolve("server.log"), Map.of("DEBUGINFOD_URLS", "http://127.0.0.1:1/"))) {
            killPostgres(data);
            HttpRequest builds = request(server, "/v1/builds");
            for (int i = 0; http.send(builds, BodyHandlers.ofString()).statusCode() != 200 || i == 0; i++) {
                assertThat(i).as(server.output()).isLessThan(600);
                Thread.sleep(100);
            }
            assertThat(server.output()).contains("PostgreSQL restarted");

            ProcessHandle postgres = postgres(data);
            Files.move(data.resolve("postgres"), data.resolve("moved"));
            postgres.destroyForcibly();
            assertThat(server.process().waitFor(100, TimeUnit.SECONDS))
                    .as(server.output())
                    .isTrue();
            assertThat(server.process().exitValue()).isEqualTo(FatalErrors.EXIT_CODE);
            assertThat(server.output()).contains("offsetd: fatal: the embedded PostgreSQL does not stay up");
        }
    }

    private static ProcessHandle postgres(Path data) throws IOException {
        String pid = Files.readAllLines(data.resolve("postgres/postmaster.pid")).getFirst();
        return ProcessHandle.of(Long.parseLong(pid.strip())).orElseThrow();
    }

    private static void killPostgres(Path data) throws IOException {
        ProcessHandle postgres = postgres(data);
        postgres.destroyForcibly();
        postgres.onExit().join();
    }
}
