package dev.offsetd.server.testkit;

import dev.offsetd.extractor.builds.BuildId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockResponseBody;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okio.Buffer;
import okio.BufferedSink;

/**
 * An upstream with the builds that a test adds. It counts requests and can block them. One instance acts as several
 * upstreams, told apart by the first segment of the path.
 */
public final class CountingUpstream implements AutoCloseable {

    private static final Pattern PATH = Pattern.compile("/([a-z]+)/buildid/([0-9a-f]+)/debuginfo");

    private final MockWebServer server = new MockWebServer();
    private final Map<BuildId, byte[]> files = new ConcurrentHashMap<>();
    private final Map<BuildId, List<MockResponse>> scripts = new ConcurrentHashMap<>();
    private final Map<BuildId, CountDownLatch> held = new ConcurrentHashMap<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private volatile Hook hook = request -> {};

    /**
     * A request.
     *
     * @param upstream the first segment of the path
     */
    public record Request(String upstream, BuildId build) {}

    /** Called for each request before it is answered, on the request's thread, which it may block. */
    @FunctionalInterface
    public interface Hook {
        void see(Request request) throws InterruptedException;
    }

    public CountingUpstream() {
        server.setDispatcher(new Dispatcher() {
            @Override
            public MockResponse dispatch(RecordedRequest request) throws InterruptedException {
                return answer(String.valueOf(request.getTarget()));
            }
        });
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private MockResponse answer(String path) throws InterruptedException {
        Matcher matcher = PATH.matcher(path);
        if (!matcher.matches()) {
            return status(404);
        }
        Request request = new Request(matcher.group(1), BuildId.parse(matcher.group(2)));
        requests.add(request);
        hook.see(request);
        CountDownLatch gate = held.get(request.build());
        if (gate != null) {
            gate.await();
        }
        List<MockResponse> script = scripts.get(request.build());
        if (script != null && !script.isEmpty()) {
            return script.removeFirst();
        }
        byte[] file = files.get(request.build());
        return file == null ? status(404) : ok(file).build();
    }

    /** Returns a response without a file. */
    public static MockResponse status(int status) {
        return new MockResponse.Builder().code(status).build();
    }

    /** Returns a response with a file and the size header of debuginfod. */
    public static MockResponse.Builder ok(byte[] file) {
        return new MockResponse.Builder()
                .code(200)
                .addHeader("X-DEBUGINFOD-SIZE", file.length)
                .body(new Buffer().write(file));
    }

    /** Returns a response with a file. Its second half waits for the latch. */
    public MockResponse inTwoHalves(byte[] file, CountDownLatch second) {
        return ok(file).body(new MockResponseBody() {
                    @Override
                    public long getContentLength() {
                        return file.length;
                    }

                    @Override
                    public void writeTo(BufferedSink sink) throws IOException {
                        int half = file.length / 2;
                        sink.write(file, 0, half).flush();
                        try {
                            while (closed.getCount() > 0 && !second.await(10, TimeUnit.MILLISECONDS)) {
                                // The test has not seen the first half yet.
                            }
                        } catch (InterruptedException e) {
                            throw (IOException) new InterruptedIOException().initCause(e);
                        }
                        sink.write(file, half, file.length - half);
                    }
                })
                .build();
    }

    /** Returns the base URL of the upstream of this name, which consists of letters. */
    public String url(String upstream) {
        return server.url("/" + upstream + "/").toString();
    }

    /** Adds a build to all upstreams. */
    public void put(BuildId id, byte[] file) {
        files.put(id, file);
    }

    /** Queues responses for the next requests for a build. Later requests get the regular response. */
    public void answerFirst(BuildId id, MockResponse... answers) {
        scripts.put(id, new CopyOnWriteArrayList<>(answers));
    }

    /** Blocks requests for a build. */
    public void hold(BuildId id) {
        held.put(id, new CountDownLatch(1));
    }

    /** Unblocks current and future requests for a build. */
    public void release(BuildId id) {
        CountDownLatch gate = held.remove(id);
        if (gate != null) {
            gate.countDown();
        }
    }

    /** Sets the hook that is called for every request. */
    public void seenBy(Hook seer) {
        hook = seer;
    }

    /** Blocks the calling request until this upstream is closed. */
    public void hang() throws InterruptedException {
        closed.await(5, TimeUnit.MINUTES);
    }

    /** Returns the requests so far, in order. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    /** Returns the number of requests for this build. */
    public long hits(BuildId id) {
        return requests.stream().filter(request -> request.build().equals(id)).count();
    }

    @Override
    public void close() {
        closed.countDown();
        held.keySet().forEach(this::release);
        server.close();
    }
}
