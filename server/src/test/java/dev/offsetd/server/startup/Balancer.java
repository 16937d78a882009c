package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** HAProxy with packaging/haproxy.cfg. */
final class Balancer implements AutoCloseable {

    private static final Path CONFIGURATION = Path.of("..", "packaging", "haproxy.cfg");
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Process process;
    private final int port;
    private final int healthPort;

    private Balancer(Process process, int port, int healthPort) {
        this.process = process;
        this.port = port;
        this.healthPort = healthPort;
    }

    /**
     * Starts HAProxy in front of two servers.
     *
     * @param folder for its log
     * @param first port of a server on the loopback interface
     * @param second port of the other one
     */
    static Balancer start(Path folder, int first, int second) throws Exception {
        Path log = folder.resolve("haproxy.log");
        int port = FreePort.any();
        int healthPort = FreePort.any();
        ProcessBuilder command = new ProcessBuilder(
                RequiredTool.require("haproxy").path().toString(), "-W", "-db", "-f", CONFIGURATION.toString());
        command.environment()
                .putAll(Map.of(
                        "BALANCER_LISTEN", "127.0.0.1:" + port,
                        "BALANCER_HEALTH", "127.0.0.1:" + healthPort,
                        "OFFSETD_1", "127.0.0.1:" + first,
                        "OFFSETD_2", "127.0.0.1:" + second));
        Balancer balancer = new Balancer(
                command.redirectErrorStream(true).redirectOutput(log.toFile()).start(), port, healthPort);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!balancer.isReady()) {
            assertThat(balancer.process.isAlive()).as(Files.readString(log)).isTrue();
            assertThat(System.nanoTime()).as(Files.readString(log)).isLessThan(end);
            Thread.sleep(50);
        }
        return balancer;
    }

    /** Returns a request of this path. */
    HttpRequest.Builder request(String path) {
        return request(port, path);
    }

    /** Returns whether HAProxy has a ready server. */
    boolean isReady() throws InterruptedException {
        try {
            return HTTP.send(request(healthPort, "/readyz").build(), BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }

    private static HttpRequest.Builder request(int port, String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
