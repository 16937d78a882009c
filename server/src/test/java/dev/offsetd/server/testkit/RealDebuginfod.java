package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** elfutils' own debuginfod over a folder of debug files. */
public final class RealDebuginfod implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(1);
    private static final Pattern SCANNED =
            Pattern.compile("sqlite3_milliseconds_count\\{step_done=\"file-scanned\"} ([0-9]+)");
    private static final Pattern DOWNLOADS =
            Pattern.compile("http_responses_transfer_bytes_count\\{code=\"200\",type=\"debuginfo\"} ([0-9]+)");
    private static final Pattern REQUESTS = Pattern.compile("http_requests_total\\{type=\"debuginfo\"} ([0-9]+)");

    private final Process process;
    private final int port;
    private final HttpClient http = HttpClient.newHttpClient();

    private RealDebuginfod(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts one and waits until it has seen its files. Without debuginfod on this machine the test is skipped, in CI
     * it fails.
     *
     * @param files a folder with this many ELF files
     * @param work for its index and its log
     */
    public static RealDebuginfod over(Path files, int count, Path work) throws IOException, InterruptedException {
        RequiredTool.require("debuginfod");
        int port;
        try (ServerSocket any = new ServerSocket(0)) {
            port = any.getLocalPort();
        }
        ProcessBuilder command = new ProcessBuilder(
                "debuginfod",
                "-p",
                Integer.toString(port),
                "-d",
                work.resolve("debuginfod.sqlite").toString(),
                "-F",
                files.toString());
        command.environment().keySet().removeAll(List.of("DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH"));
        command.redirectErrorStream(true)
                .redirectOutput(work.resolve("debuginfod.log").toFile());
        RealDebuginfod debuginfod = new RealDebuginfod(command.start(), port);
        long end = System.nanoTime() + START.toNanos();
        while (debuginfod.metric(SCANNED) < count) {
            if (System.nanoTime() > end || !debuginfod.process.isAlive()) {
                debuginfod.close();
                throw new IOException(
                        "debuginfod has not scanned " + count + " files of " + files + " within " + START);
            }
            Thread.sleep(100);
        }
        return debuginfod;
    }

    /** Its base URL. */
    public String url() {
        return "http://127.0.0.1:" + port + "/";
    }

    /**
     * Has it look at its folder again, and waits until it hands a build out.
     *
     * @param buildId in hex
     */
    public void scanFor(String buildId) throws IOException, InterruptedException {
        long end = System.nanoTime() + START.toNanos();
        HttpRequest request = HttpRequest.newBuilder(URI.create(url() + "buildid/" + buildId + "/debuginfo"))
                .build();
        while (http.send(request, BodyHandlers.discarding()).statusCode() != 200) {
            if (System.nanoTime() > end) {
                throw new IOException("debuginfod has not found " + buildId + " within " + START);
            }
            new ProcessBuilder("kill", "-USR1", Long.toString(process.pid()))
                    .start()
                    .waitFor();
            Thread.sleep(200);
        }
    }

    /** Requests for debug files that it has counted so far. */
    public long requests() throws InterruptedException {
        return metric(REQUESTS);
    }

    /** Debug files that it has sent, by its own count. */
    public long downloads() throws InterruptedException {
        return metric(DOWNLOADS);
    }

    /** The value of one of its metrics; 0 while it has none. */
    private long metric(Pattern pattern) throws InterruptedException {
        try {
            String metrics = http.send(
                            HttpRequest.newBuilder(URI.create(url() + "metrics"))
                                    .build(),
                            BodyHandlers.ofString())
                    .body();
            Matcher matcher = pattern.matcher(metrics);
            return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
        } catch (IOException e) {
            // Not up yet.
            return 0;
        }
    }

    /** Ends it at once. */
    @Override
    public void close() {
        http.close();
        process.destroyForcibly().onExit().join();
    }
}
