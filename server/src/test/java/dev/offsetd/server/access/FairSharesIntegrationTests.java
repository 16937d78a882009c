package dev.offsetd.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client that holds its share of the places for some work is refused more, and another client is served. */
@Timeout(120)
@ChecklistRow(42)
class FairSharesIntegrationTests {

    private static final String ONE = "127.0.0.1";
    private static final String OTHER = "127.0.0.2";

    /** More than any share. */
    private static final int MOST = 200;

    @TempDir
    private Path folder;

    private final List<Socket> sockets = new ArrayList<>();
    private GatedUpstream upstream;
    private TestServer server;

    @BeforeEach
    void start() {
        upstream = new GatedUpstream(SmallBuild.debugFile());
        server = TestServer.start(
                folder,
                TestDatabase.create(),
                "offsetd.upstreams.urls=" + upstream.url(),
                "offsetd.upstreams.headers-timeout=2m",
                "offsetd.bodies.grace=1m",
                "offsetd.uploads.max-concurrent=4",
                "offsetd.debuginfod.max-concurrent=4",
                "offsetd.exports.max-waiting=3");
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        upstream.close();
        server.close();
    }

    private static BuildId id(int number) {
        return BuildId.parse("%040x".formatted(number + 1));
    }

    private Socket send(String from, String head, byte[] body) throws IOException {
        Socket socket = new Socket(InetAddress.ofLiteral(ONE), server.port(), InetAddress.ofLiteral(from), 0);
        sockets.add(socket);
        socket.setSoTimeout(60_000);
        socket.getOutputStream()
                .write((head + "\r\nHost: x\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(body);
        socket.getOutputStream().flush();
        return socket;
    }

    private String token() {
        return server.bean(Tokens.class)
                .create("test", Set.of(Scope.PUBLISH, Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                .text();
    }

    private static String answer(Socket socket) throws IOException {
        // The server does not close the connection before it has read the request.
        socket.shutdownOutput();
        return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    /** Sends requests that hold places, until one is answered. */
    private void requireShare(String work, IntFunction<String> head, byte[] body) throws Exception {
        List<Socket> holding = new ArrayList<>();
        for (int i = 0; i < MOST; i++) {
            holding.add(send(ONE, head.apply(i), body));
            Thread.sleep(20);
            for (Socket socket : holding) {
                if (socket.getInputStream().available() > 0) {
                    assertThat(answer(socket))
                            .startsWith("HTTP/1.1 503 ")
                            .containsIgnoringCase("\r\nRetry-After: 5\r\n")
                            .contains("\"code\":\"busy\"", "its share of the places for " + work + ": ");
                    assertThat(i).as("half of the places").isPositive();
                    return;
                }
            }
        }
        throw new AssertionError("one client has all places for " + work);
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /v1/builds/%s/debuginfo, uploads, 422",
        "PUT, /v1/builds/%s/bundle, uploads, 422",
        "POST, /v1/offsets, large request bodies, 400",
        "POST, /v1/exports/%s/btf, BPF objects, 400"
    })
    void bodies(String method, String path, String work, int status) throws Exception {
        String type = work.equals("large request bodies") ? "json" : "octet-stream";
        String head = method + " " + path.formatted(SmallBuild.ID) + " HTTP/1.1\r\nContent-Type: application/" + type
                + "\r\nContent-Length: 70000\r\nAuthorization: Bearer ";

        String one = token();
        requireShare(work, _ -> head + one, new byte[69_999]);

        assertThat(answer(send(OTHER, head + token(), new byte[70_000]))).startsWith("HTTP/1.1 " + status + " ");
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /v1/builds/%s/debuginfo, 422",
        "PUT, /v1/builds/%s/bundle, 422",
        "POST, /v1/offsets, 400",
        "POST, /v1/exports/%s/btf, 400"
    })
    void sendersOfNothingHoldNoPlace(String method, String path, int status) throws Exception {
        String head = method + " " + path.formatted(SmallBuild.ID) + " HTTP/1.1\r\nContent-Type: application/"
                + (path.endsWith("offsets") ? "json" : "octet-stream")
                + "\r\nContent-Length: 70000\r\nAuthorization: Bearer ";
        for (String from : List.of(ONE, OTHER)) {
            String token = token();
            for (int i = 0; i < MOST; i++) {
                send(from, head + token, new byte[0]);
            }
        }

        assertThat(answer(send("127.0.0.3", head + token(), new byte[70_000]))).startsWith("HTTP/1.1 " + status + " ");
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/builds/%s/bundle, bundles",
        "/buildid/%s/debuginfo, files of upstreams",
        "/v1/offsets/%s?types=point, extraction"
    })
    void whatWaitsForAnUpstream(String path, String work) throws Exception {
        IntFunction<String> head = i -> "GET " + path.formatted(id(i)) + " HTTP/1.1\r\nPrefer: wait=60";

        requireShare(work, head, new byte[0]);

        Socket other =
                send(OTHER, "GET " + path.formatted(SmallBuild.ID) + " HTTP/1.1\r\nPrefer: wait=60", new byte[0]);
        upstream.open();
        assertThat(answer(other)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void exports() throws Exception {
        upstream.open();
        CountDownLatch rendering = new CountDownLatch(1);
        String path = "/v1/exports/" + SmallBuild.ID + "/";
        List<String> revisions = new ArrayList<>();
        for (String export : List.of("btf", "btf?types=point", "btf?types=bits", "btf?types=pointers", "btf?names=c")) {
            revisions.add(URI.create(path)
                    .resolve(server.get(path + export, "Prefer", "wait=30")
                            .headers()
                            .firstValue("Location")
                            .orElseThrow())
                    .toString());
        }
        ComputePool threads = server.bean(ComputePool.EXPORTS, ComputePool.class);
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            var _ = threads.submit(
                    () -> {
                        rendering.await();
                        return "";
                    },
                    Duration.ofMinutes(1));
        }

        // The last one is for the other client.
        requireShare("exports", i -> "GET " + revisions.get(Math.min(i, 3)) + " HTTP/1.1", new byte[0]);

        Socket other = send(OTHER, "GET " + revisions.getLast() + " HTTP/1.1", new byte[0]);
        Thread.sleep(500);
        assertThat(other.getInputStream().available()).as("it waits").isZero();
        rendering.countDown();
        assertThat(answer(other)).startsWith("HTTP/1.1 200 ");
    }
}
