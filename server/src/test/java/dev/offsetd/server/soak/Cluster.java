package dev.offsetd.server.soak;

import dev.offsetd.server.database.EmbeddedDatabase;
import dev.offsetd.server.testkit.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Two servers, their PostgreSQL and their upstreams, each a separate process on 127.0.0.1. */
final class Cluster implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(1);

    /** Time until an upstream that was down is asked again: the breaker's delay and the retry delay, both set below. */
    private static final Duration UPSTREAM_GRACE = Duration.ofSeconds(20);

    /** Time in which the connection pools replace their dead connections. */
    private static final Duration DATABASE_GRACE = Duration.ofSeconds(20);

    private final Path folder;
    private final Map<String, String> environment;
    private final Part database;
    private final Part upstream;
    private final Server first;
    private final Server second;

    Cluster(Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        Path home = folder.resolve("database");
        String user;
        String password;
        try (EmbeddedDatabase made = EmbeddedDatabase.start(home)) {
            user = made.user();
            password = made.password();
        }
        int databasePort = freePort();
        String url = "jdbc:postgresql://127.0.0.1:" + databasePort + "/postgres";
        database = new Part("database", DATABASE_GRACE, () -> startPostgres(home, databasePort, url, user, password));
        int sound = freePort();
        int faulty = freePort();
        upstream = new Part("upstreams", UPSTREAM_GRACE, () -> startUpstreams(folder, sound, faulty));
        environment = new HashMap<>(Map.of(
                "SPRING_DATASOURCE_URL",
                url,
                "SPRING_DATASOURCE_USERNAME",
                user,
                "SPRING_DATASOURCE_PASSWORD",
                password,
                "DEBUGINFOD_URLS",
                "http://127.0.0.1:" + faulty + "/by_build http://127.0.0.1:" + sound,
                // The whole heap is touched at startup, so later growth of RSS is a leak outside the heap.
                "JAVA_TOOL_OPTIONS",
                "-Xms384m -Xmx384m -XX:+AlwaysPreTouch"));
        // Short time limits end faults early, so that more of them fit into the run.
        environment.put("OFFSETD_UPSTREAMS_HEADERSTIMEOUT", "1s");
        environment.put("OFFSETD_UPSTREAMS_STALLTIMEOUT", "2s");
        environment.put("OFFSETD_UPSTREAMS_TOTALTIMEOUT", "10s");
        environment.put("OFFSETD_UPSTREAMS_MAXFILESIZE", "16MB");
        environment.put("OFFSETD_UPSTREAMS_BREAKER_OPENFOR", "5s");
        environment.put("OFFSETD_EXTRACTION_RETRY_NOTASKED", "5s");
        // One of the faults is a file that is too large.
        environment.put("OFFSETD_EXTRACTION_RETRY_UNUSABLE", "10s");
        first = new Server("server 1", folder, environment);
        second = new Server("server 2", folder, environment);
    }

    void start() throws IOException, InterruptedException {
        database.start();
        upstream.start();
        first.part().start();
        second.part().start();
    }

    Part database() {
        return database;
    }

    Part upstream() {
        return upstream;
    }

    Server first() {
        return first;
    }

    List<Server> servers() {
        return List.of(first, second);
    }

    List<Part> parts() {
        return List.of(first.part(), second.part(), database, upstream);
    }

    /** Creates a token with the server's command, which prints only the token to standard output. */
    String token(String label, String scopes) throws IOException, InterruptedException {
        Path out = folder.resolve("token.txt");
        List<String> command = List.of(
                "token", "create", "--label", label, "--scope", scopes, "--data", folder.resolve("server 1") + "");
        ProcessBuilder builder = ServerProcess.command(command).redirectOutput(out.toFile());
        builder.redirectError(folder.resolve("token.log").toFile())
                .environment()
                .putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("no token: " + Files.readString(folder.resolve("token.log")));
        }
        return Files.readString(out).strip();
    }

    private static Process startPostgres(Path home, int port, String url, String user, String password)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // PostgreSQL refuses to run as root.
            command.addAll(List.of("unshare", "-U"));
        }
        command.addAll(List.of(
                binary(home).toString(),
                "-D",
                home.resolve("postgres").toString(),
                "-p",
                Integer.toString(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "max_connections=60"));
        long end = System.nanoTime() + START.toNanos();
        while (System.nanoTime() < end) {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            home.resolve("soak.log").toFile()))
                    .start();
            // PostgreSQL refuses to start while children of the killed server hold its shared memory.
            while (process.isAlive() && System.nanoTime() < end) {
                try (Connection _ = DriverManager.getConnection(url, user, password)) {
                    return process;
                } catch (SQLException notYet) {
                    Thread.sleep(200);
                }
            }
            Thread.sleep(500);
        }
        throw new IOException("PostgreSQL does not come back: "
                + Files.readString(home.resolve("soak.log"), StandardCharsets.ISO_8859_1));
    }

    private static Path binary(Path home) throws IOException {
        try (Stream<Path> files = Files.walk(home)) {
            return files.filter(file -> file.endsWith(Path.of("bin", "postgres")))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no PostgreSQL below " + home));
        }
    }

    private static Process startUpstreams(Path folder, int sound, int faulty) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        UpstreamProcess.class.getName(),
                        Integer.toString(sound),
                        Integer.toString(faulty))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("upstreams.log").toFile()))
                .start();
        Part.await("the upstreams", START, () -> accepts(sound) && accepts(faulty));
        return process;
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    @Override
    public void close() {
        parts().forEach(Part::close);
    }
}
