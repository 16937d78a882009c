package dev.offsetd.server.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okio.Buffer;

/** A debuginfod that has one file for every build, and sends nothing until its gate is opened. Counts requests. */
public final class GatedUpstream implements AutoCloseable {

    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger hits = new AtomicInteger();
    private final MockWebServer server = new MockWebServer();

    public GatedUpstream(byte[] file) {
        server.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
                hits.incrementAndGet();
                gate.await();
                return new MockResponse.Builder()
                        .code(200)
                        .body(new Buffer().write(file))
                        .build();
            }
        });
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The upstream's base URL. */
    public String url() {
        return server.url("/").toString();
    }

    /** Requests so far. */
    public int hits() {
        return hits.get();
    }

    /** Lets all requests through, those that wait and those to come. */
    public void open() {
        gate.countDown();
    }

    @Override
    public void close() {
        gate.countDown();
        server.close();
    }
}
