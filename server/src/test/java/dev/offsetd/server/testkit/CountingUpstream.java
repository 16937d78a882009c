package dev.offsetd.server.testkit;

import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
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
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import okio.Buffer;

/**
 * An upstream with the builds that a test gives it. It counts what it is asked for, can hold requests back, and is several
 * upstreams in one: whatever comes first in the path tells them apart.
 */
public final class CountingUpstream implements AutoCloseable {

    private static final Pattern PATH = Pattern.compile("/([a-z]+)/buildid/([0-9a-f]+)/debuginfo");

    private final MockWebServer server = new MockWebServer();
    private final Map<BuildId, byte[]> files = new ConcurrentHashMap<>();
    private final Map<BuildId, List<MockResponse>> scripts = new ConcurrentHashMap<>();
    private final Map<BuildId, CountDownLatch> held = new ConcurrentHashMap<>();
    private final List<Asked> asked = new CopyOnWriteArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    private volatile Hook hook = request -> {};

    /**
     * A request.
     *
     * @param upstream what came first in the path
     */
    public record Asked(String upstream, BuildId build) {}

    /** Sees each request before it is answered, on its own thread, which it may hold up. */
    @FunctionalInterface
    public interface Hook {
        void see(Asked request) throws InterruptedException;
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
        Asked request = new Asked(matcher.group(1), BuildId.parse(matcher.group(2)));
        asked.add(request);
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

    /** An answer without a file. */
    public static MockResponse status(int status) {
        return new MockResponse.Builder().code(status).build();
    }

    /** An answer with a file, and what a debuginfod says of its size. */
    public static MockResponse.Builder ok(byte[] file) {
        return new MockResponse.Builder()
                .code(200)
                .addHeader("X-DEBUGINFOD-SIZE", file.length)
                .body(new Buffer().write(file));
    }

    /** Base URL of the upstream of this name: letters. */
    public String url(String upstream) {
        return server.url("/" + upstream + "/").toString();
    }

    /** Gives the upstreams a build. */
    public void put(BuildId id, byte[] file) {
        files.put(id, file);
    }

    /** Has the next requests for a build answered like this, one after the other; later ones as without. */
    public void answerFirst(BuildId id, MockResponse... answers) {
        scripts.put(id, new CopyOnWriteArrayList<>(answers));
    }

    /** Holds requests for a build back. */
    public void hold(BuildId id) {
        held.put(id, new CountDownLatch(1));
    }

    /** Lets them go, those to come too. */
    public void release(BuildId id) {
        CountDownLatch gate = held.remove(id);
        if (gate != null) {
            gate.countDown();
        }
    }

    /** Has every request seen. */
    public void seenBy(Hook seer) {
        hook = seer;
    }

    /** Holds the calling request up until this is closed. */
    public void hang() throws InterruptedException {
        closed.await(5, TimeUnit.MINUTES);
    }

    /** The requests so far, in their order. */
    public List<Asked> asked() {
        return List.copyOf(asked);
    }

    /** How many of them were for this build. */
    public long hits(BuildId id) {
        return asked.stream().filter(request -> request.build().equals(id)).count();
    }

    @Override
    public void close() {
        closed.countDown();
        held.keySet().forEach(this::release);
        server.close();
    }
}
