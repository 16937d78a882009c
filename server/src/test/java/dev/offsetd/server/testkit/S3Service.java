package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.storage.objects.CommandStore;
import dev.offsetd.server.storage.objects.ObjectStore;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/**
 * A bucket of an S3Proxy, which all tests of a JVM share, behind an address that can fail. Its objects are files.
 */
public final class S3Service implements AutoCloseable {

    private static final Path JAR = jar();
    private static final Pattern STARTED = Pattern.compile("Started \\S*ServerConnector.*\\{127\\.0\\.0\\.1:(\\d+)}");
    private static final AtomicInteger COUNT = new AtomicInteger();

    /** Behaviour of the address. */
    public enum Mode {
        WORKS,
        /** Closes every connection. */
        DOWN,
        /** Answers 503 SlowDown. */
        BUSY,
        /** Answers 503 SlowDown once, then works. */
        BUSY_ONCE,
        /** Cuts bodies of answers in half. */
        HALF,
        /** Sends a byte of an answer every 200 ms. */
        SLOW,
        /** Delays each piece of an answer by 300 ms. */
        LATE
    }

    private final Path folder;
    private final ServerSocket listener;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final AtomicInteger requests = new AtomicInteger();
    private volatile Mode mode = Mode.WORKS;

    /** Returns the jar that the build copies beside the classes of the tests. */
    private static Path jar() {
        try {
            return Path.of(S3Service.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .resolveSibling(Path.of("s3proxy", "s3proxy.jar"));
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private S3Service(Path folder) throws IOException {
        this.folder = folder;
        this.listener = new ServerSocket(0, 64, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofPlatform().daemon().start(this::accept);
    }

    /**
     * Returns the command of an S3Proxy, not started yet.
     *
     * @param folder has a folder for each bucket
     * @param port 0 for a free one
     */
    public static ProcessBuilder command(Path folder, int port) throws IOException {
        Path settings = folder.resolveSibling(folder.getFileName() + ".properties");
        Files.writeString(settings, """
                s3proxy.endpoint=http://127.0.0.1:%d
                s3proxy.authorization=aws-v4
                s3proxy.identity=tests
                s3proxy.credential=secret of tests
                jclouds.provider=filesystem-nio2
                jclouds.filesystem.basedir=%s
                """.formatted(port, folder));
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx256m",
                        "-jar",
                        JAR.toString(),
                        "--properties",
                        settings.toString())
                .redirectErrorStream(true);
    }

    /** Returns environment variables that make a server process use the bucket of a command. */
    public static Map<String, String> environment(int port, String bucket) {
        return Map.of(
                "OFFSETD_STORE_S3_ENDPOINT", "http://127.0.0.1:" + port,
                "OFFSETD_STORE_S3_BUCKET", bucket,
                "OFFSETD_STORE_S3_PATHSTYLE", "true",
                "OFFSETD_STORE_S3_ACCESSKEY", "tests",
                "OFFSETD_STORE_S3_SECRETKEY", "secret of tests");
    }

    /** Creates a bucket with a new name. */
    public static S3Service create() throws IOException {
        Path folder = Shared.FOLDER.resolve("bucket-" + COUNT.incrementAndGet());
        Files.createDirectory(folder);
        return new S3Service(folder);
    }

    /** Creates a bucket with the objects of this one. */
    public S3Service copy() throws IOException {
        S3Service copy = create();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.file(file.getFileName().toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        return copy;
    }

    /** Returns the settings of a server that uses the bucket. */
    public String[] properties(String... more) {
        return Stream.concat(
                        Stream.of(
                                "offsetd.store.s3.endpoint=http://127.0.0.1:" + listener.getLocalPort(),
                                "offsetd.store.s3.bucket=" + folder.getFileName(),
                                "offsetd.store.s3.path-style=true",
                                "offsetd.store.s3.access-key=tests",
                                "offsetd.store.s3.secret-key=secret of tests"),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    /** Returns environment variables that make a server process use the bucket. */
    public Map<String, String> environment() {
        return environment(listener.getLocalPort(), folder.getFileName().toString());
    }

    /** Returns the object store of a command with these settings. */
    public static ObjectStore store(String... properties) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(properties).and("offsetd.data-dir=unused").applyTo(context);
        context.register(CommandStore.class);
        context.refresh();
        return context.getBean(ObjectStore.class);
    }

    public void set(Mode next) {
        mode = next;
        connections.forEach(S3Service::close);
        connections.clear();
    }

    /** Sends the rest of slow answers at once, and others as usual, without ending a connection. */
    public void endSlowness() {
        mode = Mode.WORKS;
    }

    /** Returns how many connections were made. */
    public int connections() {
        return requests.get();
    }

    /** Returns the file of an object. */
    public Path file(String name) {
        return folder.resolve(name);
    }

    /** Returns the names of all objects whose name is a hash. */
    public List<String> objects() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("[0-9a-f]{64}"))
                    .sorted()
                    .toList();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket caller = listener.accept();
                requests.incrementAndGet();
                connections.add(caller);
                Mode now = mode;
                Thread.ofPlatform().daemon().start(() -> serve(caller, now));
            } catch (IOException e) {
                // This address was closed.
                return;
            }
        }
    }

    private void serve(Socket caller, Mode now) {
        try (caller) {
            switch (now) {
                case DOWN -> {}
                case BUSY -> refuse(caller);
                case BUSY_ONCE -> {
                    mode = Mode.WORKS;
                    refuse(caller);
                }
                case WORKS, HALF, SLOW, LATE -> forward(caller, now);
            }
        } catch (IOException | InterruptedException e) {
            // One end has closed the connection.
            connections.remove(caller);
        }
    }

    private static void refuse(Socket caller) throws IOException {
        InputStream in = caller.getInputStream();
        String head = head(in);
        Matcher length = Pattern.compile("(?i)content-length: (\\d+)").matcher(head);
        if (length.find()) {
            in.readNBytes(Integer.parseInt(length.group(1)));
        }
        String body = "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>slow down</Message></Error>";
        caller.getOutputStream()
                .write(("HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nConnection: close\r\n"
                                + "Content-Length: " + body.length() + "\r\n\r\n" + body)
                        .getBytes(StandardCharsets.US_ASCII));
    }

    private void forward(Socket caller, Mode now) throws IOException, InterruptedException {
        try (Socket server = new Socket(InetAddress.ofLiteral("127.0.0.1"), Shared.PORT)) {
            connections.add(server);
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    caller.getInputStream().transferTo(server.getOutputStream());
                } catch (IOException e) {
                    // One end has closed the connection.
                    connections.remove(server);
                }
            });
            InputStream in = server.getInputStream();
            OutputStream out = caller.getOutputStream();
            switch (now) {
                case HALF -> {
                    String head = head(in);
                    out.write(head.getBytes(StandardCharsets.ISO_8859_1));
                    Matcher length =
                            Pattern.compile("(?i)content-length: (\\d+)").matcher(head);
                    if (length.find()) {
                        out.write(in.readNBytes(Integer.parseInt(length.group(1)) / 2));
                    }
                }
                case SLOW -> {
                    for (int value = in.read(); value >= 0; value = in.read()) {
                        out.write(value);
                        if (mode == Mode.SLOW) {
                            Thread.sleep(200);
                        }
                    }
                }
                case LATE -> {
                    byte[] piece = new byte[1 << 16];
                    for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                        Thread.sleep(300);
                        out.write(piece, 0, count);
                    }
                }
                default -> in.transferTo(out);
            }
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int value = in.read();
            if (value < 0) {
                throw new IOException("closed");
            }
            head.append((char) value);
        }
        return head.toString();
    }

    private static void close(Socket connection) {
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        set(Mode.DOWN);
    }

    private static final class Shared {

        static final Path FOLDER = folder();
        static final int PORT = start();

        private static Path folder() {
            try {
                return Files.createTempDirectory(JAR.getParent(), "run" + TestDatabase.FORK + "-");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static int start() {
            if (Files.notExists(JAR)) {
                throw RequiredTool.unavailable("S3Proxy is missing: the build copies it to " + JAR);
            }
            try {
                Path log = FOLDER.resolveSibling(FOLDER.getFileName() + ".log");
                Process process =
                        command(FOLDER, 0).redirectOutput(log.toFile()).start();
                Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                while (System.nanoTime() < end && process.isAlive()) {
                    Matcher started = STARTED.matcher(Files.readString(log));
                    if (started.find()) {
                        return Integer.parseInt(started.group(1));
                    }
                    Thread.sleep(50);
                }
                throw new IllegalStateException("S3Proxy does not start: " + Files.readString(log));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }
}
