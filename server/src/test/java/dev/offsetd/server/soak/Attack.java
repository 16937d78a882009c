package dev.offsetd.server.soak;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.HugeFile;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Hostile requests beside the {@link Load}, at a bounded rate and with a token of their own. Servers may refuse them, but they
 * must not cost other clients anything, nor reveal the token.
 */
final class Attack {

    private static final int THREADS = 2;
    private static final int PAUSE_MILLIS = 400;

    /** Number of unfinished uploads at a time, and how long each is held open. */
    private static final int SLOW_UPLOADS = 4;

    private static final Duration SLOW = Duration.ofSeconds(20);

    /** Limits of the contract for one query. */
    private static final int ITEMS = 50;

    private static final int ITEM_LENGTH = 4_000;

    private static final List<String> PATHS =
            List.of("/t//%s/v1/whoami", "/T/%s", "/%%74/%s", "/t/%1$s/t/%1$s", "/x/../t/%s", "/t/%s/admin");

    private final Cluster cluster;
    private final Client client;
    private final Failures failures;
    private final String token;
    private final long began = System.nanoTime();
    private final List<Thread> threads;

    /** Whether the last request of the builds of a consensus was answered, so that a later one finds them stored. */
    private volatile boolean peersStored;

    private volatile boolean stopped;

    /** @param token with the scope {@code publish} */
    Attack(Cluster cluster, Client client, Failures failures, String token) {
        this.cluster = cluster;
        this.client = client;
        this.failures = failures;
        this.token = token;
        threads = IntStream.range(0, THREADS + 1)
                .mapToObj(i -> Thread.ofPlatform()
                        .daemon()
                        .name("attack-" + i)
                        .unstarted(i == THREADS ? this::uploadSlowly : this::run))
                .toList();
    }

    void start() {
        threads.forEach(Thread::start);
    }

    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.interrupt();
            thread.join();
        }
    }

    private void run() {
        try {
            while (!stopped) {
                one(ThreadLocalRandom.current());
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failures.add("the attack ended: " + e);
        }
    }

    private void one(ThreadLocalRandom random) throws InterruptedException {
        HostileFile file = HostileFile.of(random.nextInt());
        // More builds each minute, so that new ones arrive during the whole run.
        int number = random.nextInt(
                2 + 2 * (int) Duration.ofNanos(System.nanoTime() - began).toMinutes());
        BuildId upload = SoakBuild.hostileForUpload(file, number);
        BuildId any = random.nextBoolean() ? upload : SoakBuild.hostileAtUpstream(file, number);
        switch (random.nextInt(10)) {
            case 0 -> upload("upload", upload, file.debugFile(upload));
            case 1 -> get("types", "/v1/builds/" + any + "/types?limit=100");
            case 2 -> get("isf", "/v1/exports/" + any + "/isf");
            case 3 -> get("btf", "/v1/exports/" + any + "/btf");
            case 4 -> get("expansion", "/v1/offsets/" + any + "?types=outermost&view=flat");
            case 5 -> send("items", "POST", "/v1/offsets", BodyPublishers.ofString(longItems(any)));
            case 6 -> tokenInPath(PATHS.get(random.nextInt(PATHS.size())));
            case 7 -> get("lines", "/v1/symbolize/" + any + "?addresses=0x" + Long.toHexString(HugeFile.CODE));
            case 8 -> consensus(SoakBuild.dissenter(number));
            default -> get("point", "/v1/offsets/" + any + "?types=point.y");
        }
    }

    /** Tries to make a consensus of builds of an upstream ambiguous by an upload. */
    private void consensus(BuildId dissenter) throws InterruptedException {
        boolean stored = peersStored;
        peersStored = get("peer", "/v1/offsets/" + SoakBuild.peer(0) + "?types=point.y")
                .filter(response -> response.statusCode() == 200)
                .isPresent();
        upload("dissent", dissenter, SoakBuild.ofGnutls(dissenter));
        get("consensus", "/v1/offsets/" + SoakBuild.nowhere() + "?types=point.y" + SoakBuild.CLAIM)
                .filter(response -> stored && peersStored && response.statusCode() == 200)
                .map(HttpResponse::body)
                .filter(body -> !body.contains("\"offset\":4"))
                .ifPresent(body -> failures.add("an upload disturbs the consensus of an upstream: " + body));
    }

    private static String longItems(BuildId build) {
        String item = "::b const".repeat(ITEM_LENGTH / "::b const".length());
        return "[{\"buildId\": \"" + build + "\", \"types\": ["
                + String.join(", ", Collections.nCopies(ITEMS, '"' + item + '"')) + "]}]";
    }

    private Optional<HttpResponse<String>> get(String operation, String path) throws InterruptedException {
        return send(operation, "GET", path, BodyPublishers.noBody());
    }

    private void upload(String operation, BuildId build, byte[] file) throws InterruptedException {
        send(operation, "PUT", "/v1/builds/" + build + "/debuginfo", BodyPublishers.ofByteArray(file));
    }

    private Optional<HttpResponse<String>> send(String operation, String method, String path, BodyPublisher body)
            throws InterruptedException {
        return client.send(Client.HOSTILE + operation, cluster.any(), method, path, body, token);
    }

    /** Sends the token in a path that no client uses. */
    private void tokenInPath(String path) throws InterruptedException {
        client.get(Client.HOSTILE + "path", cluster.any(), path.formatted(token))
                .ifPresent(response -> {
                    if (response.body().contains(token)) {
                        failures.add("the answer to " + path + " has the token: " + response.body());
                    }
                });
    }

    /** Holds uploads open of which only four bytes arrive. */
    private void uploadSlowly() {
        int number = 0;
        try {
            while (!stopped) {
                URI server = URI.create(cluster.any().url());
                List<Socket> held = new ArrayList<>();
                try {
                    for (int i = 0; i < SLOW_UPLOADS; i++) {
                        held.add(unfinishedUpload(server, number++));
                    }
                    Thread.sleep(SLOW);
                } catch (IOException killed) {
                    Thread.sleep(PAUSE_MILLIS);
                } finally {
                    close(held);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Socket unfinishedUpload(URI server, int number) throws IOException {
        BuildId build = SoakBuild.hostileForUpload(HostileFile.PRODUCERS, number);
        Socket socket = new Socket(server.getHost(), server.getPort());
        socket.getOutputStream()
                .write(("PUT /v1/builds/" + build + "/debuginfo HTTP/1.1\r\nHost: soak\r\nAuthorization: Bearer "
                                + token
                                + "\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\n\177ELF")
                        .getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    private static void close(List<Socket> sockets) {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is closed nevertheless.
            }
        }
    }

    /** Reports logs in this folder that reveal the token. */
    void checkLogs(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path log :
                    files.filter(file -> file.toString().endsWith(".log")).toList()) {
                try (Stream<String> lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
                    lines.filter(line -> line.contains(token))
                            .findFirst()
                            .ifPresent(line -> failures.add(log.getFileName() + " has the token: " + line));
                }
            }
        }
    }
}
