package dev.offsetd.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that cannot do its work ends, so that its supervisor starts it anew. */
@Timeout(180)
class FatalErrorsIntegrationTests {

    @TempDir
    private Path folder;

    private final HttpClient http = HttpClient.newHttpClient();

    private ServerProcess start(String... jvmOptions) throws Exception {
        return ServerProcess.startWithFaults(
                folder.resolve("data"),
                folder.resolve("server.log"),
                ServerProcess.on(TestDatabase.create()),
                jvmOptions);
    }

    private static HttpRequest request(ServerProcess server, String pathAndQuery) {
        return HttpRequest.newBuilder(URI.create(server.url() + pathAndQuery))
                .timeout(Duration.ofSeconds(30))
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "heap, -XX:+ExitOnOutOfMemoryError, Terminating due to java.lang.OutOfMemoryError",
        "heap, -XX:-ExitOnOutOfMemoryError, offsetd: fatal: out of memory: Java heap space",
        "direct, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: out of memory: Cannot reserve",
        "direct-in-thread, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: out of memory: Cannot reserve",
        "acceptor, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: the thread that accepts or polls connections is dead",
        "poller, -XX:+ExitOnOutOfMemoryError, offsetd: fatal: the thread that accepts or polls connections is dead"
    })
    @ChecklistRow(51)
    void processThatCannotGoOnEndsAndSaysWhy(String fault, String option, String words) throws Exception {
        try (ServerProcess server = start("-Xmx160m", "-XX:MaxDirectMemorySize=32m", option)) {
            var _ = http.sendAsync(request(server, "/version?fault=" + fault), BodyHandlers.ofString());
            if (fault.equals("acceptor")) {
                wake(server);
            }

            assertThat(server.process().waitFor(60, TimeUnit.SECONDS))
                    .as(server.output())
                    .isTrue();

            assertThat(server.process().exitValue()).as(server.output()).isEqualTo(FatalErrors.EXIT_CODE);
            assertThat(server.output()).contains(words);
        }
    }

    /** The thread that accepts connections ends after the next one. */
    private static void wake(ServerProcess server) throws InterruptedException {
        int port = URI.create(server.url()).getPort();
        for (int i = 0; i < 20 && server.process().isAlive(); i++) {
            Thread.sleep(200);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(socket.isConnected()).isTrue();
            } catch (IOException e) {
                return;
            }
        }
    }

    @Test
    @ChecklistRow(51)
    void stackThatOverflowsEndsOneRequest() throws Exception {
        try (ServerProcess server = start("-XX:+ExitOnOutOfMemoryError")) {
            assertThat(http.send(request(server, "/version?fault=stack"), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(500);
            assertThat(http.send(request(server, "/version"), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
        }
    }
}
