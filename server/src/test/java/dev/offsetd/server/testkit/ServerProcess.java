package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The server as a process of its own, from the jar that people run. */
public final class ServerProcess implements AutoCloseable {

    /** On a machine that compiles beside it, a start takes minutes. */
    private static final Duration START = Duration.ofMinutes(5);

    private static final Pattern READY = Pattern.compile("offsetd is ready at (http://[0-9.:]+)");

    private final Process process;
    private final Path log;
    private final String url;

    private ServerProcess(Process process, Path log, String url) {
        this.process = process;
        this.log = log;
        this.url = url;
    }

    /**
     * Starts a server on a free port and waits until it is ready. It looks into no local folder.
     *
     * @param data its data folder
     * @param log where its output goes
     */
    public static ServerProcess start(Path data, Path log, Map<String, String> environment)
            throws IOException, InterruptedException {
        return start(List.of("-jar", jar().toString()), data, log, environment);
    }

    /** Starts a server that has {@link Faults}, from the tests' class path. */
    public static ServerProcess startWithFaults(
            Path data, Path log, Map<String, String> environment, String... jvmOptions)
            throws IOException, InterruptedException {
        List<String> program = new ArrayList<>(List.of(jvmOptions));
        program.addAll(List.of("-cp", System.getProperty("java.class.path"), Faults.class.getName()));
        return start(program, data, log, environment);
    }

    private static ServerProcess start(List<String> program, Path data, Path log, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder command = command(program, List.of("--port", "0", "--data", data.toString()));
        command.environment().putAll(environment);
        command.redirectErrorStream(true).redirectOutput(log.toFile());
        Process process = command.start();
        long end = System.nanoTime() + START.toNanos();
        while (true) {
            Matcher ready = READY.matcher(Files.readString(log));
            if (ready.find()) {
                return new ServerProcess(process, log, ready.group(1));
            }
            if (!process.isAlive() || System.nanoTime() > end) {
                process.destroyForcibly();
                throw new IOException("the server does not start: " + Files.readString(log));
            }
            Thread.sleep(50);
        }
    }

    /** Returns a command of the server's program, not started yet. */
    public static ProcessBuilder command(List<String> arguments) throws IOException {
        return command(List.of("-jar", jar().toString()), arguments);
    }

    private static ProcessBuilder command(List<String> program, List<String> arguments) {
        List<String> line = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                // It lives for minutes at most: what the second compiler would make of it comes too late.
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Doffsetd.local-folders="));
        line.addAll(program);
        line.addAll(arguments);
        return new ProcessBuilder(line);
    }

    /** What makes a server use this database. */
    public static Map<String, String> on(TestDatabase database) {
        return Map.of(
                "SPRING_DATASOURCE_URL", database.url(),
                "SPRING_DATASOURCE_USERNAME", database.user(),
                "SPRING_DATASOURCE_PASSWORD", database.password());
    }

    /** Its base URL, without a slash at the end. */
    public String url() {
        return url;
    }

    public Process process() {
        return process;
    }

    /** What it has printed so far. */
    public String output() throws IOException {
        return Files.readString(log);
    }

    /** Sends a signal, by its name without {@code SIG}. */
    public void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** The jar that the launcher has unpacked, where it starts a command of the tests; else that of this build. */
    private static Path jar() throws IOException {
        String unpacked = System.getProperty("offsetd.server-jar");
        if (unpacked != null) {
            return Path.of(unpacked);
        }
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(file -> file.getFileName().toString().matches("offsetd-server-.*-exec\\.jar"))
                    .findFirst()
                    .orElseThrow(() -> RequiredTool.unavailable("the server's jar has not been built"));
        }
    }

    /** Ends it at once, in whatever state it is. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
