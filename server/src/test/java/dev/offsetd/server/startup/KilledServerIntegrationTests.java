package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallBuild;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The server as a separate process with its embedded database, terminated in every way. */
@Timeout(300)
class KilledServerIntegrationTests {

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<ProcessHandle> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        processes.forEach(ProcessHandle::destroyForcibly);
        http.close();
    }

    @Test
    @ChecklistRow({14, 34})
    void killedServerAndDatabaseLoseNothingThatWasStoredAndTheNextOnesStopTogether() throws Exception {
        Running first;
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile())) {
            upstream.open();
            first = start(upstream.url());
            assertThat(ask(first, "point").statusCode()).isEqualTo(200);
            kill(first.server().toHandle());
            kill(first.database());
        }
        // The upstream is gone, and so is its file.
        deleteTree(data().resolve("cache"));
        Running second = start("http://127.0.0.1:1/");
        HttpResponse<String> answer = ask(second, "line.to");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(Json.item(answer, "line.to").path("offset").asInt()).isEqualTo(4);

        assertThat(Files.readString(log()))
                .contains(
                        "upstreams: http://127.0.0.1:1/\n",
                        "data in " + data(),
                        "curl '" + second.url() + "/v1/offsets/");
        second.server().destroy();
        second.server().onExit().orTimeout(60, TimeUnit.SECONDS).join();
        assertThat(second.server().exitValue()).isZero();
        assertThat(second.database().onExit()).succeedsWithin(Duration.ofMinutes(1));
        assertThat(data().resolve("postgres/postmaster.pid")).doesNotExist();
        assertThat(Files.readString(log())).doesNotContain("Exception", "ERROR");
    }

    @Test
    @ChecklistRow(14)
    void databaseThatOutlivesAKilledServerIsReplacedAndTheWorkBeginsAnew() throws Exception {
        Running first;
        try (GatedUpstream silent = new GatedUpstream(SmallBuild.debugFile())) {
            first = start(silent.url());
            CompletableFuture<HttpResponse<String>> call =
                    http.sendAsync(request(first, "point"), BodyHandlers.ofString());
            while (silent.hits() == 0) {
                Thread.sleep(20);
            }
            kill(first.server().toHandle());
            assertThat(call).failsWithin(Duration.ofMinutes(1));
        }
        assertThat(first.database().isAlive()).isTrue();
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile())) {
            upstream.open();
            Running second = start(upstream.url());
            assertThat(first.database().isAlive()).isFalse();
            assertThat(filesUnder(data().resolve("cache")))
                    .as("what is left of the download")
                    .allMatch(file -> file.endsWith("lock"));
            // Well before the lease of the killed server expires.
            HttpResponse<String> answer = ask(second, "point");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(upstream.hits()).isEqualTo(1);
        }
    }

    private record Running(Process server, ProcessHandle database, String url) {}

    private Path data() {
        return folder.resolve("data");
    }

    private Path log() {
        return folder.resolve("server.log");
    }

    private Running start(String upstream) throws Exception {
        ServerProcess server = ServerProcess.start(data(), log(), Map.of("DEBUGINFOD_URLS", upstream));
        processes.add(server.process().toHandle());
        ProcessHandle database = ProcessHandle.of(
                        Long.parseLong(Files.readAllLines(data().resolve("postgres/postmaster.pid"))
                                .getFirst()
                                .strip()))
                .orElseThrow();
        processes.add(database);
        return new Running(server.process(), database, server.url());
    }

    private static void kill(ProcessHandle process) {
        process.destroyForcibly();
        process.onExit().join();
    }

    private static HttpRequest request(Running server, String types) {
        return HttpRequest.newBuilder(URI.create(server.url() + "/v1/offsets/" + SmallBuild.ID + "?types=" + types))
                .build();
    }

    private HttpResponse<String> ask(Running server, String types) throws IOException, InterruptedException {
        return http.send(request(server, types), BodyHandlers.ofString());
    }

    private static List<Path> filesUnder(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static void deleteTree(Path root) throws IOException {
        for (Path file : filesUnder(root)) {
            Files.delete(file);
        }
    }
}
