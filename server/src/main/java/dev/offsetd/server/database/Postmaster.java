package dev.offsetd.server.database;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Process of the embedded PostgreSQL. It keeps its port across restarts. */
final class Postmaster {

    /** Crash recovery replays everything since the last checkpoint. {@code pg_ctl} fails at once if PostgreSQL ends. */
    private static final int START_SECONDS = 300;

    private static final int STOP_SECONDS = 20;

    private final PostgresPrograms programs;
    private final PostgresUser user;
    private final Path data;
    private final Path log;
    private final int port;

    /** @param log receives the output of PostgreSQL */
    Postmaster(PostgresPrograms programs, PostgresUser user, Path data, Path log) throws IOException {
        this.programs = programs;
        this.user = user;
        this.data = data;
        this.log = log;
        this.port = freePort();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    int port() {
        return port;
    }

    /**
     * Sets up the data.
     *
     * @param passwordFile has the superuser's password
     */
    void initialize(String user, Path passwordFile) throws IOException {
        run(
                "initdb",
                List.of(
                        "-D",
                        data.toString(),
                        "-U",
                        user,
                        "-E",
                        "UTF-8",
                        "--auth=scram-sha-256",
                        "--pwfile=" + passwordFile,
                        "--locale-provider=builtin",
                        "--builtin-locale=C.UTF-8",
                        // The builtin provider covers no messages and formats.
                        "--locale=C"));
    }

    /** Starts PostgreSQL, after stopping one that outlived an earlier server on the same data. */
    ProcessHandle start() throws IOException {
        OrphanedPostmaster.stop(data);
        String options = String.join(
                " ",
                "-p " + port,
                "-c listen_addresses=127.0.0.1",
                "-c unix_socket_directories=",
                "-c max_connections=60",
                "-c timezone=UTC",
                "-c fsync=on",
                "-c synchronous_commit=on");
        run(
                "pg_ctl",
                List.of("-D", data.toString(), "-o", options, "-w", "-t", Integer.toString(START_SECONDS), "start"));
        return PostmasterFile.pid(data)
                .flatMap(ProcessHandle::of)
                .orElseThrow(() -> new IOException(
                        "PostgreSQL on " + data + " ended as soon as it was started; " + log + " has its messages"));
    }

    /** Stops PostgreSQL. No-op if it does not run. */
    void stop() throws IOException {
        if (PostmasterFile.pid(data).flatMap(ProcessHandle::of).isPresent()) {
            run(
                    "pg_ctl",
                    List.of("-D", data.toString(), "-m", "fast", "-w", "-t", Integer.toString(STOP_SECONDS), "stop"));
        }
    }

    private void run(String program, List<String> arguments) throws IOException {
        DataFolder.touch(log);
        ProcessBuilder.Redirect output = ProcessBuilder.Redirect.appendTo(log.toFile());
        List<String> command = new ArrayList<>(user.prefix());
        command.add(programs.program(program).toString());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .start();
        try {
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new IOException(program + " on " + data + " failed with exit code " + exitCode + "; " + log
                        + " has its messages");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + program + " ran on " + data, e);
        }
    }
}
