package dev.offsetd.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.cli.CommandLineRun;
import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that send malformed or endless responses. */
class HostileServerIntegrationTests {

    private static final String ID = "0123456789abcdef0123456789abcdef01234567";

    private static final String CHUNKED = "HTTP/1.1 200 OK~Transfer-Encoding: chunked~~";

    /** Upper bound on an endless response, in case the client never hangs up. */
    private static final long MAX_SENT_BYTES = 128L << 20;

    /** The JDK limits headers to 384 KiB; the rest allows for the kernel's socket buffers. */
    private static final long MAX_READ_BYTES = 16 << 20;

    private final AtomicLong sent = new AtomicLong();
    private ServerSocket listener;
    private volatile String head = "";
    private volatile String unit = "";

    @BeforeEach
    void start() throws IOException {
        listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::serve);
    }

    @AfterEach
    void stop() throws IOException {
        listener.close();
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (Socket connection = listener.accept()) {
                connection.setSendBufferSize(16 << 10);
                // A request without a body fits in one segment.
                var _ = connection.getInputStream().read(new byte[8 << 10]);
                OutputStream out = connection.getOutputStream();
                out.write(latin(head));
                byte[] block = latin(unit.repeat(unit.isEmpty() ? 0 : 16_384 / unit.length()));
                while (block.length > 0 && sent.addAndGet(block.length) < MAX_SENT_BYTES) {
                    out.write(block);
                }
            } catch (IOException clientWentAway) {
                // Expected: the client hangs up on a response that is too long.
            }
        }
    }

    private static byte[] latin(String text) {
        return text.replace("~", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    private String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    @ChecklistRow(3)
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "HTTP/1.1 200 | a",
                "HTTP/1.1 200 OK~X-Long: | a",
                "HTTP/1.1 200 OK~ | X-Many: a~",
                "'' | HTTP/1.1 103 Early Hints~~",
                "'' | HTTP/1.1 100 Continue~~",
                CHUNKED + " | 0",
                CHUNKED + "5; | a",
                CHUNKED + "5~abcde | a",
                CHUNKED + "1~a~0~ | X-Many: a~",
            })
    void responseWithoutAnEndIsReadForAShortWhile(String head, String unit) {
        this.head = head;
        this.unit = unit;

        CommandLineRun run = CommandLineRun.of("query", url(), ID, "A");

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err().strip().lines()).hasSize(1);
        assertThat(sent.get()).isBetween(1L, MAX_READ_BYTES);
    }

    @ChecklistRow(3)
    @Test
    void bodyWithoutAnEndStopsAtTheLimit() throws Exception {
        head = "HTTP/1.1 200 OK~~";
        unit = "a";
        try (ServerClient client = new ServerClient(BearerToken.of("none", null), 1 << 20)) {
            assertThatThrownBy(() -> client.send(
                            HttpRequest.newBuilder(URI.create(url())).build()))
                    .isInstanceOf(IOException.class);
        }
        assertThat(sent.get()).isBetween(1L, MAX_READ_BYTES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK~Content-Length: -5~~abcde",
                "HTTP/1.1 200 OK~Content-Length: many~~abcde",
                "HTTP/1.1 200 OK~Content-Length: 99999999999999999999~~abcde",
                "HTTP/1.1 -12 Negative~Content-Length: 0~~",
                "HTTP/1.1 abc Text~Content-Length: 0~~",
                "HTTP/1.1 302 Found~Location: http://[::1~Content-Length: 0~~",
                "HTTP/1.1 302 Found~Location: http://127.0.0.1:99999/~Content-Length: 0~~",
                "HTTP/1.1 302 Found~Location: file:///etc/passwd~Content-Length: 0~~",
                "HTTP/1.1 302 Found~Content-Length: 0~~",
                "HTTP/1.1 202 Accepted~Retry-After: 99999999999999999999~Content-Length: 0~~",
                CHUNKED + "-5~abcde~0~~",
                CHUNKED + "ffffffffffffffffff~abcde~0~~",
                "SSH-2.0-OpenSSH~~",
            })
    void responseThatCannotBeReadIsOneLine(String head) {
        this.head = head;

        CommandLineRun run = CommandLineRun.of("query", url(), ID, "A", "--wait", "1");

        assertThat(run.exitCode()).isEqualTo(4);
        assertThat(run.err().strip().lines()).hasSize(1);
    }
}
