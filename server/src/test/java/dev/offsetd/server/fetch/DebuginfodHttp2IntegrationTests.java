package dev.offsetd.server.fetch;

import static dev.offsetd.server.fetch.UpstreamFixture.ID;
import static dev.offsetd.server.fetch.UpstreamFixture.IMPATIENT;
import static dev.offsetd.server.fetch.UpstreamFixture.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.SocketEffect;
import okhttp3.Protocol;
import okio.Buffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What HTTP/2 does differently: many requests share a connection, and nobody checks Content-Length for us. */
class DebuginfodHttp2IntegrationTests {

    private static final List<Protocol> HTTP_2 = List.of(Protocol.H2_PRIOR_KNOWLEDGE);
    private static final byte[] FILE = TestElf.of(ID);

    @TempDir
    private Path folder;

    private MockWebServer server;
    private UpstreamFixture upstreams;

    @BeforeEach
    void start() throws IOException {
        server = new MockWebServer();
        server.setProtocols(HTTP_2);
        server.start();
        upstreams = new UpstreamFixture(folder);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        upstreams.close();
    }

    @Test
    void wholeFileIsFetched() throws Exception {
        server.enqueue(file().build());
        UpstreamFixture.fetched(source(PATIENT).fetch(ID)).close();
        assertThat(server.takeRequest().getVersion()).isEqualTo("HTTP/2");
        assertThat(server.getRequestCount()).isEqualTo(1);
    }

    @ChecklistRow(7)
    @Test
    void bodyShorterThanItsContentLengthIsBroken() throws Exception {
        server.enqueue(file().setHeader("Content-Length", FILE.length + 1).build());
        assertThat(source(PATIENT).fetch(ID))
                .isEqualTo(new FetchOutcome.Broken(
                        "body of " + FILE.length + " bytes; Content-Length is " + (FILE.length + 1)));
        upstreams.assertNothingKept();
    }

    @ChecklistRow(9)
    @Test
    void silentStreamTimesOutAndTheNextRequestIsServed() throws Exception {
        server.enqueue(file().onResponseStart(SocketEffect.Stall.INSTANCE).build());
        server.enqueue(file().build());
        DebuginfodSource source = source(IMPATIENT);
        assertThat(source.fetch(ID)).isInstanceOf(FetchOutcome.TimedOut.class);
        upstreams.assertNothingKept();
        UpstreamFixture.fetched(source.fetch(ID)).close();
    }

    @Test
    void interruptEndsAFetch() throws Exception {
        server.enqueue(file().onResponseStart(SocketEffect.Stall.INSTANCE).build());
        DebuginfodSource source = source(PATIENT);
        CompletableFuture<String> ending = new CompletableFuture<>();
        Thread caller = Thread.ofPlatform().start(() -> {
            try {
                ending.complete(source.fetch(ID).toString());
            } catch (InterruptedException e) {
                ending.complete("interrupted");
            }
        });
        server.takeRequest();
        caller.interrupt();
        assertThat(ending.get(10, TimeUnit.SECONDS)).isEqualTo("interrupted");
        upstreams.assertNothingKept();
    }

    private static MockResponse.Builder file() {
        return new MockResponse.Builder().body(new Buffer().write(FILE));
    }

    private DebuginfodSource source(Timeouts timeouts) {
        return upstreams.source(server.url("/").toString(), timeouts, HTTP_2);
    }
}
