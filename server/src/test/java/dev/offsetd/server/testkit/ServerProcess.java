package dev.offsetd.server.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The server as a separate process, run from the released jar. */
public final class ServerProcess implements AutoCloseable {

    /** Startup takes minutes on a machine that compiles at the same time. */
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
     * Starts a server on a free port and waits until it is ready. It has no local folder.
     *
     * @param data its data folder
     * @param log file for its output
     */
    public static ServerProcess start(Path data, Path log, Map<String, String> environment)
            throws IOException, InterruptedException {
        return start(released(), data, log, environment);
    }

    /** Starts a server with {@link Faults}, which are among the classes of the tests. */
    public static ServerProcess startWithFaults(
            Path data, Path log, Map<String, String> environment, String... jvmOptions)
            throws IOException, InterruptedException {
        List<String> program = new ArrayList<>(List.of(jvmOptions));
        String classes = ReleasedProgram.jar() + File.pathSeparator + Path.of("target", "test-classes");
        program.addAll(List.of("-Dspring.aot.enabled=true", "-cp", classes, Faults.class.getName()));
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

    /** Returns the command of the server program, not started yet. */
    public static ProcessBuilder command(List<String> arguments) {
        return command(released(), arguments);
    }

    private static List<String> released() {
        // Starts it like packaging/offsetd-server.
        return List.of(
                "-Dspring.aot.enabled=true", "-jar", ReleasedProgram.jar().toString());
    }

    private static ProcessBuilder command(List<String> program, List<String> arguments) {
        List<String> line = new ArrayList<>(ReleasedProgram.java());
        line.addAll(List.of(
                "-Doffsetd.local-folders=",
                // Tests count what servers request of upstreams, and executables are fetched behind the answers.
                "-Doffsetd.identities.poll=1h"));
        line.addAll(program);
        line.addAll(arguments);
        return new ProcessBuilder(line);
    }

    /** Returns the environment variables that make a server use this database. */
    public static Map<String, String> on(TestDatabase database) {
        return Map.of(
                "SPRING_DATASOURCE_URL", database.url(),
                "SPRING_DATASOURCE_USERNAME", database.user(),
                "SPRING_DATASOURCE_PASSWORD", database.password());
    }

    /** Returns the base URL, without a trailing slash. */
    public String url() {
        return url;
    }

    public Process process() {
        return process;
    }

    /** Returns the output so far. */
    public String output() throws IOException {
        return Files.readString(log);
    }

    /** Sends a signal, named without {@code SIG}. */
    public void signal(String name) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
    }

    /** Kills the process, whatever its state. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
