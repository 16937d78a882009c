package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A debug file as large as that of a distribution's kernel, and a server whose heap is half of that. */
@ChecklistRow(32)
@Timeout(300)
class LargeFileIntegrationTests {

    private static final long ZEROS = 1_100_000_000;
    private static final String BUILD = "dcc9c9ff5703a3c2834d7872a08871e92e646c42";
    // gABI chapter 4, ELF header and section header of 64-bit files.
    private static final int E_SHOFF = 0x28;
    private static final int E_SHNUM = 0x3c;
    private static final int SHDR_BYTES = 64;
    private static final int SHT_PROGBITS = 1;

    @TempDir
    private Path folder;

    private @Nullable HttpServer upstream;

    @AfterEach
    void stop() {
        if (upstream != null) {
            upstream.stop(0);
        }
    }

    @Test
    void fileTwiceAsLargeAsTheHeapIsFetchedAndAnswered() throws Exception {
        HttpServer server = upstreamWith(whatACompilerWrote());
        upstream = server;
        Map<String, String> environment = new HashMap<>(ServerProcess.on(TestDatabase.create()));
        environment.put(
                "DEBUGINFOD_URLS", "http://127.0.0.1:" + server.getAddress().getPort() + "/");
        environment.put("JAVA_TOOL_OPTIONS", "-Xmx512m");
        try (ServerProcess queried = ServerProcess.start(folder.resolve("data"), folder.resolve("log"), environment);
                HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(
                            URI.create(queried.url() + "/v1/offsets/" + BUILD + "?types=arrays"))
                    .header("Prefer", "wait=30")
                    .build();
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            // A slow disk takes its time.
            while (answer.statusCode() == 202) {
                answer = http.send(request, BodyHandlers.ofString());
            }
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(Json.item(answer, "arrays").path("status").asString()).isEqualTo("found");
            HttpResponse<String> build = http.send(
                    HttpRequest.newBuilder(URI.create(queried.url() + "/v1/builds/" + BUILD))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(Json.of(build).path("provenance").path("fetchedBytes").asLong())
                    .isGreaterThan(ZEROS);
            assertThat(queried.output()).doesNotContain("OutOfMemoryError");
        }
    }

    private static byte[] whatACompilerWrote() throws IOException {
        String resource = "/fixtures/gcc12-dwarf5-x86_64-el/layout.debug";
        try (InputStream in = LargeFileIntegrationTests.class.getResourceAsStream(resource)) {
            return Objects.requireNonNull(in, resource).readAllBytes();
        }
    }

    /** Serves the file with one more section, of zeros, before its table of sections, which moves to the end. */
    private static HttpServer upstreamWith(byte[] file) throws IOException {
        ByteBuffer head =
                ByteBuffer.wrap(Arrays.copyOf(file, (file.length + 7) & ~7)).order(ByteOrder.LITTLE_ENDIAN);
        int table = Math.toIntExact(head.getLong(E_SHOFF));
        int sections = head.getShort(E_SHNUM);
        ByteBuffer tail = ByteBuffer.allocate((sections + 1) * SHDR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        tail.put(file, table, sections * SHDR_BYTES);
        tail.putInt(0).putInt(SHT_PROGBITS).putLong(0).putLong(0);
        tail.putLong(head.capacity())
                .putLong(ZEROS)
                .putInt(0)
                .putInt(0)
                .putLong(1)
                .putLong(0);
        head.putLong(E_SHOFF, head.capacity() + ZEROS).putShort(E_SHNUM, (short) (sections + 1));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/buildid/" + BUILD + "/debuginfo", exchange -> {
            exchange.sendResponseHeaders(200, head.capacity() + ZEROS + tail.capacity());
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(head.array());
                byte[] zeros = new byte[1 << 20];
                for (long sent = 0; sent < ZEROS; sent += zeros.length) {
                    out.write(zeros, 0, (int) Math.min(zeros.length, ZEROS - sent));
                }
                out.write(tail.array());
            }
        });
        server.start();
        return server;
    }
}
