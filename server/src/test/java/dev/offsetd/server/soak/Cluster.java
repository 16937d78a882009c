package dev.offsetd.server.soak;

import dev.offsetd.server.testkit.S3Service;
import dev.offsetd.server.testkit.ServerProcess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Three servers, their PostgreSQL, their upstreams and, if wanted, their object store, each a separate process on 127.0.0.1. */
final class Cluster implements AutoCloseable {

    private static final Duration START = Duration.ofMinutes(1);

    /** Time for a command of the server's program, which may start slowly beside the load. */
    private static final Duration COMMAND = Duration.ofMinutes(5);

    /** Time until an upstream that was down is asked again: the breaker's delay and the retry delay, both set below. */
    private static final Duration UPSTREAM_GRACE = Duration.ofSeconds(20);

    /** Time in which the connection pools replace their dead connections. */
    private static final Duration DATABASE_GRACE = Duration.ofSeconds(20);

    /** Time after which servers notice that the object store works again: the breaker's delay, and a probe. */
    private static final Duration OBJECTS_GRACE = Duration.ofSeconds(20);

    private final Path folder;
    private final Map<String, String> environment;
    private final Database postgres;
    private final Part database;
    private final Part upstream;
    private final Optional<Part> objects;
    private final List<Server> servers;

    /**
     * @param programs of the PostgreSQL that is replicated; null for a single one, the embedded PostgreSQL
     * @param withObjects whether the servers have an object store
     */
    Cluster(Path folder, @Nullable Path programs, boolean withObjects) throws IOException, InterruptedException {
        this.folder = folder;
        Path home = folder.resolve("database");
        postgres = programs == null
                ? SingleDatabase.in(home, freePort())
                : ReplicatedDatabase.in(home, programs, freePort(), freePort());
        database = new Part("database", DATABASE_GRACE, () -> home, postgres::primary);
        int sound = freePort();
        int faulty = freePort();
        upstream = new Part(
                "upstreams",
                UPSTREAM_GRACE,
                () -> folder.resolve("upstreams"),
                () -> startUpstreams(folder, sound, faulty));
        environment = new HashMap<>(Map.of(
                "SPRING_DATASOURCE_URL",
                postgres.url(),
                "SPRING_DATASOURCE_USERNAME",
                postgres.postgres().user(),
                "SPRING_DATASOURCE_PASSWORD",
                postgres.postgres().password(),
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
        // The attack looks for its token in the logs.
        environment.put("OFFSETD_ACCESSLOG", "true");
        objects = withObjects ? Optional.of(objects(folder, environment)) : Optional.empty();
        servers = IntStream.rangeClosed(1, 3)
                .mapToObj(number -> new Server("server " + number, folder, environment))
                .toList();
    }

    void start() throws IOException, InterruptedException {
        database.start();
        upstream.start();
        if (objects.isPresent()) {
            objects.get().start();
        }
        for (Server server : servers) {
            server.part().start();
        }
    }

    /** Prepares for the next kill of the database. */
    void protect() throws IOException, InterruptedException {
        postgres.protect();
    }

    Part database() {
        return database;
    }

    Part upstream() {
        return upstream;
    }

    /** Returns the object store, if the servers have one. */
    Optional<Part> objects() {
        return objects;
    }

    List<Server> servers() {
        return servers;
    }

    /** Returns one of the servers at random. */
    Server any() {
        return servers.get(ThreadLocalRandom.current().nextInt(servers.size()));
    }

    /** Returns whether a process was killed since this time. */
    boolean wasKilledSince(long nanos) {
        return parts().stream().anyMatch(part -> part.wasKilledSince(nanos));
    }

    List<Part> parts() {
        return Stream.of(servers.stream().map(Server::part), Stream.of(database, upstream), objects.stream())
                .flatMap(parts -> parts)
                .toList();
    }

    /** Creates a token with the server's command, which prints only the token to standard output. */
    String token(String label, String scopes) throws IOException, InterruptedException {
        Path out = folder.resolve("token.txt");
        List<String> command = List.of(
                "token", "create", "--label", label, "--scope", scopes, "--data", folder.resolve("command") + "");
        ProcessBuilder builder = ServerProcess.command(command).redirectOutput(out.toFile());
        builder.redirectError(folder.resolve("token.log").toFile())
                .environment()
                .putAll(environment);
        Process process = builder.start();
        if (!process.waitFor(COMMAND.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("no token: " + Files.readString(folder.resolve("token.log")));
        }
        return Files.readString(out).strip();
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

    /** Returns an S3Proxy, and adds what its clients need to the environment. */
    private static Part objects(Path folder, Map<String, String> environment) throws IOException {
        String bucket = "soak";
        Path buckets = folder.resolve("objects");
        Files.createDirectories(buckets.resolve(bucket));
        int port = freePort();
        environment.putAll(S3Service.environment(port, bucket));
        environment.put("OFFSETD_UPLOADS_KEEP", "true");
        // Less than an object, so that answers read objects again.
        environment.put("OFFSETD_STORE_CACHE", "1KB");
        ProcessBuilder command = S3Service.command(buckets, port)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("objects.log").toFile()));
        return new Part("object store", OBJECTS_GRACE, () -> buckets, () -> {
            Process process = command.start();
            Part.await("the object store", START, () -> accepts(port));
            return process;
        });
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
        postgres.close();
    }
}
