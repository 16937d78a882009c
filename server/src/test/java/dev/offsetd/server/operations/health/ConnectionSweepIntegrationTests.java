package dev.offsetd.server.operations.health;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.TestDatabase;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that hold connections do not keep others out. */
@Timeout(180)
class ConnectionSweepIntegrationTests {

    /** {@code -Dconnections=8192} makes the attack of the size that a large server takes. */
    private static final int MAX_CONNECTIONS = Integer.getInteger("connections", 64);

    private static final Duration HEAD_TIME = Duration.ofMillis(500);

    @TempDir
    private Path folder;

    private final List<Socket> attackers = new ArrayList<>();
    private NioEndpoint endpoint;
    private Tomcat tomcat;
    private Thread sweep;

    @BeforeEach
    void start() throws Exception {
        endpoint = new NioEndpoint();
        endpoint.setMaxConnections(MAX_CONNECTIONS);
        Connector connector = new Connector(new Http11NioProtocol(endpoint));
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, "echo", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                response.getWriter().print("here");
            }

            @Override
            protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
                response.getWriter().print(request.getInputStream().readAllBytes().length);
            }
        });
        context.addServletMapping("/", "echo");
        tomcat.start();
        sweep = Thread.ofPlatform().daemon().start(new ConnectionSweep(endpoint, HEAD_TIME));
    }

    @AfterEach
    void stop() throws Exception {
        for (Socket attacker : attackers) {
            attacker.close();
        }
        sweep.interrupt();
        sweep.join();
        tomcat.stop();
        tomcat.destroy();
    }

    private Socket connect(String text) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), endpoint.getLocalPort());
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static HttpResponse<String> get(URI uri) throws IOException, InterruptedException {
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
        }
    }

    /** Returns whether the server has closed the connection within a time. */
    private static boolean isClosed(Socket socket, Duration time) throws IOException {
        socket.setSoTimeout((int) time.toMillis());
        try {
            while (socket.getInputStream().read() >= 0) {
                // An answer of Tomcat to half a request.
            }
            return true;
        } catch (SocketTimeoutException open) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"})
    @ChecklistRow(23)
    void connectionsThatWaitMakeRoomForRequests(String sent) throws Exception {
        // The kernel's queue takes those that Tomcat does not accept yet.
        for (int i = 0; i < MAX_CONNECTIONS + 20; i++) {
            attackers.add(connect(sent));
        }
        assertThat(get(URI.create("http://127.0.0.1:" + endpoint.getLocalPort() + "/"))
                        .body())
                .isEqualTo("here");
        assertThat(endpoint.getConnectionCount()).isLessThanOrEqualTo(MAX_CONNECTIONS);
    }

    @Test
    void tenThousandIdleConnectionsLeaveRoomForRequestsToTheServer() throws Exception {
        assumeTrue(mayOpen(12_000), "the limit of open files (ulimit -n) is below 12,000");
        Map<String, String> environment = ServerProcess.on(TestDatabase.create());
        try (ServerProcess server = ServerProcess.start(folder.resolve("data"), folder.resolve("log"), environment)) {
            URI address = URI.create(server.url());
            for (int i = 0; i < 10_000; i++) {
                attackers.add(new Socket(address.getHost(), address.getPort()));
            }
            assertThat(get(address.resolve("/readyz")).statusCode()).isEqualTo(200);
            assertThat(get(address.resolve("/v1/offsets/00?types=a")).statusCode())
                    .isEqualTo(400);
        }
    }

    private static boolean mayOpen(int files) {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                && system.getMaxFileDescriptorCount() >= files;
    }

    @Test
    void headMustBeCompleteInTimeHoweverItsBytesAreSpread() throws Exception {
        Socket slow = connect("GET / HTTP/1.1\r\nX-Slow: ");
        attackers.add(slow);
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    slow.getOutputStream().write('a');
                    Thread.sleep(20);
                }
            } catch (IOException | InterruptedException closed) {
                // The attack has ended.
            }
        });
        assertThat(isClosed(slow, Duration.ofSeconds(30))).isTrue();
    }

    @Test
    void requestsInServiceAndIdleConnectionsStayWhileThereIsRoom() throws Exception {
        Socket upload = connect("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
        Socket idle = connect("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        attackers.addAll(List.of(upload, idle));
        assertThat(isClosed(upload, HEAD_TIME.multipliedBy(6))).isFalse();
        assertThat(isClosed(idle, Duration.ofMillis(1))).isFalse();
        upload.getOutputStream().write("cd".getBytes(StandardCharsets.US_ASCII));
        upload.setSoTimeout(30_000);
        byte[] answer = new byte[12];
        assertThat(upload.getInputStream().readNBytes(answer, 0, 12)).isEqualTo(12);
        assertThat(new String(answer, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
    }

    @Test
    void limitOfConnectionsFitsIntoTheHeap() {
        long heap = Runtime.getRuntime().maxMemory();

        assertThat(ConnectionSweep.maxConnections(8)).isEqualTo(8);
        assertThat((long) ConnectionSweep.maxConnections(-1)).isBetween(1L, heap / 4 / (96 << 10));
    }
}
