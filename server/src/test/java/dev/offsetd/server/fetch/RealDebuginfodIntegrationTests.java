package dev.offsetd.server.fetch;

import static dev.offsetd.server.fetch.UpstreamFixture.ID;
import static dev.offsetd.server.fetch.UpstreamFixture.OTHER_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The client against elfutils' own debuginfod, which is the reference for the protocol. */
class RealDebuginfodIntegrationTests {

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(30);

    @TempDir
    private Path folder;

    private Process debuginfod;
    private String url;

    @BeforeEach
    void startDebuginfod() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Files.write(served.resolve("libexample.so.debug"), TestElf.of(ID));
        int port = freePort();
        url = "http://127.0.0.1:" + port + "/";
        ProcessBuilder command = new ProcessBuilder(
                "debuginfod",
                "-p",
                String.valueOf(port),
                "-d",
                folder.resolve("index.sqlite").toString(),
                "-F",
                served.toString());
        command.environment().keySet().removeAll(List.of("DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH"));
        command.redirectErrorStream(true)
                .redirectOutput(folder.resolve("debuginfod.log").toFile());
        try {
            debuginfod = command.start();
        } catch (IOException e) {
            assumeTrue("true".equals(System.getenv("CI")), "debuginfod is not installed");
            throw e;
        }
        long deadline = System.nanoTime() + START_NANOS;
        while (!metrics().contains("sqlite3_milliseconds_count{step_done=\"file-scanned\"} 1")) {
            assertThat(System.nanoTime()).as("debuginfod has scanned").isLessThan(deadline);
            Thread.sleep(50);
        }
    }

    @AfterEach
    void stopDebuginfod() throws InterruptedException {
        if (debuginfod != null) {
            debuginfod.destroyForcibly().waitFor();
        }
    }

    @Test
    void fileIsFetchedOnceAndServedAfterTheUpstreamIsGone() throws Exception {
        try (UpstreamFixture upstreams = new UpstreamFixture(folder.resolve("cache"))) {
            DebuginfodSource source = upstreams.source(url);
            try (CachedFile file = UpstreamFixture.fetched(source.fetch(ID))) {
                assertThat(file.path()).hasBinaryContent(TestElf.of(ID));
            }
            UpstreamFixture.fetched(source.fetch(ID)).close();
            assertThat(metrics()).contains("http_requests_total{type=\"debuginfo\"} 1");
            stopDebuginfod();
            UpstreamFixture.fetched(source.fetch(ID)).close();
            assertThat(source.fetch(OTHER_ID)).isInstanceOf(FetchOutcome.Broken.class);
        }
    }

    @Test
    void buildThatItDoesNotHaveIsNotFound() throws Exception {
        try (UpstreamFixture upstreams = new UpstreamFixture(folder.resolve("cache"))) {
            assertThat(upstreams.source(url).fetch(OTHER_ID)).isEqualTo(new FetchOutcome.NotFound(false));
            upstreams.assertNothingKept();
        }
    }

    private String metrics() throws InterruptedException {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(URI.create(url + "metrics")).build(), BodyHandlers.ofString())
                    .body();
        } catch (IOException notUpYet) {
            return "";
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }
}
