package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The debuginfod of elfutils, serving a folder of debug files. */
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
     * Starts debuginfod and waits until it has indexed its files. Without debuginfod on this machine, the test is
     * skipped, or fails in CI.
     *
     * @param files a folder with {@code count} ELF files
     * @param work folder for its index and its log
     */
    public static RealDebuginfod over(Path files, int count, Path work) throws IOException, InterruptedException {
        RequiredTool.require("debuginfod");
        int port = FreePort.any();
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

    public String url() {
        return "http://127.0.0.1:" + port + "/";
    }

    /**
     * Makes debuginfod scan its folder again, and waits until it serves a build.
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

    /** Returns the number of requests for debug files that debuginfod has counted. */
    public long requests() throws InterruptedException {
        return metric(REQUESTS);
    }

    /** Returns the number of debug files that debuginfod reports as sent. */
    public long downloads() throws InterruptedException {
        return metric(DOWNLOADS);
    }

    /** Returns the value of a metric, or 0 if it is not exported yet. */
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
            // debuginfod has not started yet.
            return 0;
        }
    }

    /** Kills the process. */
    @Override
    public void close() {
        http.close();
        process.destroyForcibly().onExit().join();
    }
}
