package dev.offsetd.server.soak;

import dev.offsetd.server.database.PostgresUser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The programs of an installed PostgreSQL.
 *
 * @param programs folder of the programs
 * @param log file for their output
 */
record Postgres(Path programs, Path log, String user, String password) {

    private static final Duration START = Duration.ofMinutes(1);

    /** Runs a program on data to its end. */
    void run(String program, Path data, String... arguments) throws IOException, InterruptedException {
        if (process(program, data, arguments).waitFor() != 0) {
            throw new IOException(program + " failed: " + Files.readString(log, StandardCharsets.ISO_8859_1));
        }
    }

    /** Starts a server and returns once it accepts connections. */
    Process start(Path data, int port) throws IOException, InterruptedException {
        long end = System.nanoTime() + START.toNanos();
        while (System.nanoTime() < end) {
            Process process = process(
                    "postgres",
                    data,
                    "-p",
                    Integer.toString(port),
                    "-c",
                    "listen_addresses=127.0.0.1",
                    "-c",
                    "unix_socket_directories=",
                    "-c",
                    "max_connections=100");
            // PostgreSQL refuses to start while children of the killed server hold its shared memory.
            while (process.isAlive() && System.nanoTime() < end) {
                try (Connection _ = connect(port)) {
                    return process;
                } catch (SQLException notYet) {
                    Thread.sleep(200);
                }
            }
            Thread.sleep(500);
        }
        throw new IOException("PostgreSQL does not start: " + Files.readString(log, StandardCharsets.ISO_8859_1));
    }

    private Process process(String program, Path data, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(PostgresUser.of(data).prefix());
        command.addAll(List.of(programs.resolve(program).toString(), "-D", data.toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
    }

    /** Runs a statement, and returns its first value as text if it has a result; else empty text. */
    String sql(int port, String statement) throws SQLException {
        try (Connection connection = connect(port);
                Statement once = connection.createStatement()) {
            if (!once.execute(statement)) {
                return "";
            }
            try (ResultSet rows = once.getResultSet()) {
                return rows.next() ? String.valueOf(rows.getString(1)) : "";
            }
        }
    }

    private Connection connect(int port) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + port + "/postgres", user, password);
    }
}
