package dev.offsetd.server.sources;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.builds.BuildId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An upstream that delivers ranges, as nginx does over a folder of debug files, with an {@link RangeFault} where a test wants one.
 */
public final class RangeUpstream implements AutoCloseable {

    private static final Pattern PATH = Pattern.compile("/buildid/([0-9a-f]+)/(debuginfo|executable)");
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]+)-([0-9]+)");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Map<BuildId, byte[]> files = new ConcurrentHashMap<>();
    private final Map<BuildId, byte[]> executables = new ConcurrentHashMap<>();
    private final List<String> ranges = new CopyOnWriteArrayList<>();
    private volatile boolean withoutRanges;
    private volatile boolean cut;
    private final Map<BuildId, Script> scripts = new ConcurrentHashMap<>();

    /** A fault at the range request with this number, the first of which is 1. Later ones are not disturbed. */
    private record Script(RangeFault fault, int number, AtomicInteger ranges) {}

    public RangeUpstream() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** Returns the base URL. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** Sets the executable of a build. */
    public void hasExecutable(BuildId id, byte[] file) {
        executables.put(id, file.clone());
    }

    /** Sends whole files from now on, as servers do that do not know ranges. */
    public void ignoreRanges() {
        withoutRanges = true;
    }

    /** Ends whole files early from now on. */
    public void cutWholeFiles() {
        cut = true;
    }

    /** Returns the ranges of all requests so far, in order; empty texts for whole files. */
    public List<String> ranges() {
        return List.copyOf(ranges);
    }

    /** Sets the debug file of a build. */
    public void has(BuildId id, byte[] file) {
        files.put(id, file.clone());
    }

    /** Disturbs one request for a range of a build's file. */
    public void script(BuildId id, int number, RangeFault fault) {
        scripts.put(id, new Script(fault, number, new AtomicInteger()));
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
            byte[] file = path.matches()
                    ? (path.group(2).equals("executable") ? executables : files).get(BuildId.parse(path.group(1)))
                    : null;
            if (file == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            String range = exchange.getRequestHeaders().getFirst("Range");
            ranges.add(range == null ? "" : range);
            range = withoutRanges ? null : range;
            Matcher asked = RANGE.matcher(range == null ? "" : range);
            int from = asked.matches() ? Integer.parseInt(asked.group(1)) : 0;
            int to = asked.matches() ? Math.min(Integer.parseInt(asked.group(2)) + 1, file.length) : file.length;
            Part part = new Part(exchange, file, from, to)
                    .with("Accept-Ranges", "bytes")
                    .with("ETag", "\"" + Arrays.hashCode(file) + "\"")
                    .with("Last-Modified", "Sun, 01 Nov 2026 00:00:00 GMT");
            Script script = scripts.get(BuildId.parse(path.group(1)));
            if (range == null) {
                part.send(200, file.length, cut ? part.half() : file);
            } else if (script != null && script.ranges().incrementAndGet() == script.number()) {
                script.fault().send(part);
            } else {
                part.partial(part.contentRange(), part.length(), part.body());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One request for a range, and its response. */
    final class Part {

        private final HttpExchange exchange;
        private final byte[] file;
        private final int from;
        private final int to;

        private Part(HttpExchange exchange, byte[] file, int from, int to) {
            this.exchange = exchange;
            this.file = file;
            this.from = from;
            this.to = to;
        }

        int size() {
            return file.length;
        }

        int length() {
            return to - from;
        }

        byte[] whole() {
            return file;
        }

        byte[] body() {
            return Arrays.copyOfRange(file, from, to);
        }

        /** Returns the first half of the range. */
        byte[] half() {
            return Arrays.copyOfRange(file, from, from + length() / 2);
        }

        String contentRange() {
            return contentRange(file.length);
        }

        String contentRange(int size) {
            return "bytes " + from + "-" + (to - 1) + "/" + size;
        }

        /** Sets a header. */
        Part with(String name, String value) {
            exchange.getResponseHeaders().set(name, value);
            return this;
        }

        void partial(String contentRange, int announced, byte[] body) throws IOException {
            with("Content-Range", contentRange).send(206, announced, body);
        }

        void send(int status, byte[] body) throws IOException {
            send(status, body.length, body);
        }

        private void send(int status, int announced, byte[] body) throws IOException {
            exchange.sendResponseHeaders(status, announced == 0 ? -1 : announced);
            // Written in parts: the client disconnects when it has seen enough.
            for (int at = 0; at < body.length; at += 8 << 10) {
                int length = Math.min(8 << 10, body.length - at);
                exchange.getResponseBody().write(body, at, length);
            }
            exchange.getResponseBody().flush();
        }

        /** Sends a part of the range, and then nothing. */
        void stall(byte[] part) throws IOException, InterruptedException {
            partial(contentRange(), length(), part);
            hang();
        }

        /** Sends nothing until the upstream is closed. */
        void hang() throws InterruptedException {
            closed.await(5, TimeUnit.MINUTES);
        }
    }
}
