package dev.offsetd.server.sources;

import dev.offsetd.extractor.builds.BuildId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import javax.net.ServerSocketFactory;

/**
 * A debuginfod that misbehaves on purpose. The first part of the path selects the fault, so one port serves them all:
 * {@code http://127.0.0.1:PORT/trunc_cl/buildid/ID/debuginfo}. Requests and sent
 * bytes are counted by mode. A connection serves one request, so that none goes unnoticed.
 *
 * <p>A mode is one of these:
 *
 * <ul>
 *   <li>a {@linkplain Fault#mode() fault}
 *   <li>valid: {@code ok}, {@code chunked}, {@code chunked_tiny} (a byte and an extension each), {@code gzip} (all with
 *       {@code X-DEBUGINFOD-SIZE}), {@code nolength}, {@code early_hints} (ten 103 responses, then the file), {@code
 *       redir} (to {@code ok}), {@code redir3} (three redirects, then the file), {@code redir_host} (to the same server
 *       by another name)
 *   <li>large: {@code sparse} (1.1 GB of zeros), {@code drip} (10 MB, one byte at a time)
 *   <li>a status code such as {@code 404} or {@code 503}, with {@code Retry-After: 1} and a body that clients ignore
 *   <li>any of them with the suffix {@code _then_ok}: this response first, then the file
 *   <li>{@value #BY_BUILD}: the fault that {@linkplain Fault#of belongs to the build}
 *   <li>any other name: what a test {@linkplain #script scripts} for a build, or {@linkplain #redirectingTo redirects}
 * </ul>
 */
public final class FaultServer implements AutoCloseable {

    /** The mode in which the build-id selects the fault. */
    public static final String BY_BUILD = "by_build";

    /** Decompressed size of the body of {@code bomb}. */
    public static final int BOMB_BYTES = 64 << 20;

    /** Size of the body of {@code sparse}: that of the debug file of a distribution's kernel. */
    public static final long SPARSE_BYTES = 1_100_000_000;

    private static final int DRIP_MILLIS = 20;

    /** An endless response ends here if the client has not disconnected. */
    private static final long MAX_ENDLESS_BYTES = 256L << 20;

    /** Small, so that bytes buffered by the kernel hardly count as read. */
    private static final int SEND_BUFFER_BYTES = 16 << 10;

    /** First byte of a TLS handshake record. */
    private static final int TLS_HANDSHAKE = 0x16;

    private static final String THEN_OK = "_then_ok";

    private static final Pattern ASKED = Pattern.compile("/buildid/([0-9a-f]+)/");

    private final ServerSocket listener;
    private final Function<BuildId, byte[]> buildsFiles;
    private final byte[] otherBuildsFile;
    private final Map<String, AtomicInteger> hits = new ConcurrentHashMap<>();
    private final Map<String, AtomicLong> pushed = new ConcurrentHashMap<>();
    private final Map<String, String> targets = new ConcurrentHashMap<>();
    private final Map<String, String> scripts = new ConcurrentHashMap<>();
    private final Map<BuildId, byte[]> files = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final Thread acceptor;

    private FaultServer(ServerSocket listener, Function<BuildId, byte[]> buildsFiles, byte[] otherBuildsFile) {
        this.listener = listener;
        this.buildsFiles = buildsFiles;
        this.otherBuildsFile = otherBuildsFile.clone();
        this.acceptor = Thread.ofVirtual().name("fault-server").start(this::accept);
    }

    /**
     * Starts a server that sends {@code file} for every build in valid modes, and {@code otherBuildsFile} in the mode
     * {@code wrongid}.
     */
    public static FaultServer serving(byte[] file, byte[] otherBuildsFile) {
        byte[] copy = file.clone();
        return new FaultServer(listen(ServerSocketFactory.getDefault(), 0), _ -> copy, otherBuildsFile);
    }

    /**
     * Starts a server on a port.
     *
     * @param port 0 for any
     * @param files returns the file for a build in valid modes
     * @param otherBuildsFile sent in the mode {@code wrongid}
     */
    public static FaultServer serving(int port, Function<BuildId, byte[]> files, byte[] otherBuildsFile) {
        return new FaultServer(listen(ServerSocketFactory.getDefault(), port), files, otherBuildsFile);
    }

    /** Starts a server on other sockets, such as TLS. Its {@linkplain #url URLs} start with http nevertheless. */
    static FaultServer over(ServerSocketFactory sockets, byte[] file) {
        byte[] copy = file.clone();
        return new FaultServer(listen(sockets, 0), _ -> copy, copy);
    }

    private static ServerSocket listen(ServerSocketFactory sockets, int port) {
        try {
            return sockets.createServerSocket(port, 64, InetAddress.ofLiteral("127.0.0.1"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the upstream's base URL for a fault. */
    public String url(Fault fault) {
        return url(fault.mode());
    }

    /** Returns the upstream's base URL for a mode. */
    public String url(String mode) {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/" + mode + "/";
    }

    /** Returns a mode that redirects to this URL, followed by the path of the file. */
    public String redirectingTo(String target) {
        String mode = "redir_to_" + targets.size();
        targets.put(mode, target);
        return mode;
    }

    /**
     * Sets the mode of one build at an upstream of any name. Requests are counted by the name, and by the name followed by the
     * build-id.
     */
    public void script(String upstream, BuildId id, String mode) {
        scripts.put(scripted(upstream, id), mode);
    }

    /** Sets the fault of one build at an upstream of any name. */
    public void script(String upstream, BuildId id, Fault fault) {
        script(upstream, id, fault.mode());
    }

    /** Returns the number of requests for a build at an upstream. */
    public int hits(String upstream, BuildId id) {
        return hits(scripted(upstream, id));
    }

    private static String scripted(String upstream, BuildId id) {
        return upstream + "/" + id;
    }

    /** Sets the file of a build in valid modes. */
    public void has(BuildId id, byte[] buildsFile) {
        files.put(id, buildsFile.clone());
    }

    /** Returns the port at 127.0.0.1. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Returns the number of requests in a mode. */
    public int hits(String mode) {
        AtomicInteger count = hits.get(mode);
        return count == null ? 0 : count.get();
    }

    /**
     * Returns the bytes sent in a mode over connections that the client had not closed. For each request, a few hundred kilobytes
     * of them may be unread in buffers of the kernel.
     */
    public long pushed(String mode) {
        AtomicLong count = pushed.get(mode);
        return count == null ? 0 : count.get();
    }

    /** Returns the bytes sent for a build by an upstream. */
    public long pushed(String upstream, BuildId id) {
        return pushed(scripted(upstream, id));
    }

    /** Returns the headers of all requests. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket connection : connections) {
                connection.close();
            }
            acceptor.join();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket connection = listener.accept();
                connections.add(connection);
                Thread.ofVirtual().start(() -> serve(connection));
            } catch (SocketException closed) {
                return;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void serve(Socket connection) {
        try (connection) {
            String head = readHead(connection.getInputStream());
            requests.add(head);
            String path = head.substring(head.indexOf(' ') + 1, head.indexOf(" HTTP/"));
            String mode = path.substring(1, path.indexOf('/', 1));
            int hit = count(mode);
            Matcher asked = ASKED.matcher(path);
            BuildId id = asked.find() ? BuildId.parse(asked.group(1)) : null;
            String script = id == null ? null : scripts.get(scripted(mode, id));
            String treatment =
                    id != null && mode.equals(BY_BUILD) ? Fault.of(id).mode() : mode;
            String counted = mode;
            if (id != null && script != null) {
                treatment = script;
                counted = scripted(mode, id);
                hit = count(counted);
            }
            String actual = treatment.endsWith(THEN_OK) && hit > 1 ? "ok" : treatment.replace(THEN_OK, "");
            byte[] body = id == null ? otherBuildsFile : files.getOrDefault(id, buildsFiles.apply(id));
            new Exchange(connection, body, path.substring(mode.length() + 1), counter(counted)).answer(actual);
        } catch (IOException clientWentAway) {
            // Expected in many modes.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.remove(connection);
        }
    }

    private AtomicLong counter(String what) {
        return pushed.computeIfAbsent(what, _ -> new AtomicLong());
    }

    private int count(String what) {
        return hits.computeIfAbsent(what, _ -> new AtomicInteger()).incrementAndGet();
    }

    private static String readHead(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (!head.toString().endsWith("\r\n\r\n")) {
            int c = in.read();
            if (c < 0) {
                throw new IOException("request ended in its head");
            }
            if (c == TLS_HANDSHAKE && head.isEmpty()) {
                return "TLS /tls/ HTTP/1.1\r\n\r\n";
            }
            head.append((char) c);
        }
        return head.toString();
    }

    /** One request and its response. */
    final class Exchange {

        private final Socket connection;
        private final byte[] file;
        private final String rest;
        private final AtomicLong taken;

        private Exchange(Socket connection, byte[] file, String rest, AtomicLong taken) {
            this.connection = connection;
            this.file = file;
            this.rest = rest;
            this.taken = taken;
        }

        /** Returns the requested file. */
        byte[] file() {
            return file;
        }

        /** Returns the first half of the file. */
        byte[] half() {
            return Arrays.copyOf(file, file.length / 2);
        }

        /** Returns another build's file. */
        byte[] otherFile() {
            return otherBuildsFile;
        }

        /** Returns the path after the mode. */
        String rest() {
            return rest;
        }

        private void answer(String mode) throws IOException, InterruptedException {
            Fault fault = Fault.ofMode(mode);
            if (fault != null) {
                fault.send(this);
                return;
            }
            switch (mode) {
                case "ok" -> send("200 OK", List.of(length(file), size(file.length)), file);
                case "nolength" -> send("200 OK", List.of(), file);
                case "chunked" ->
                    send(
                            "200 OK",
                            List.of("Transfer-Encoding: chunked", size(file.length)),
                            chunked(file, "0\r\n\r\n"));
                case "chunked_tiny" -> send("200 OK", List.of("Transfer-Encoding: chunked", size(file.length)), tiny());
                case "gzip" -> {
                    byte[] gzip = gzip(file);
                    send("200 OK", List.of("Content-Encoding: gzip", length(gzip), size(file.length)), gzip);
                }
                case "early_hints" -> {
                    write("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n".repeat(10));
                    send("200 OK", List.of(length(file)), file);
                }
                case "sparse" -> {
                    send("200 OK", List.of("Content-Length: " + SPARSE_BYTES));
                    byte[] zeros = new byte[1 << 20];
                    for (long sent = 0; sent < SPARSE_BYTES; sent += zeros.length) {
                        write(Arrays.copyOf(zeros, (int) Math.min(zeros.length, SPARSE_BYTES - sent)));
                    }
                }
                case "drip" -> {
                    send("200 OK", List.of("Content-Length: 10000000"));
                    drip("x".repeat(10_000));
                }
                case "redir" -> redirect("/ok" + rest);
                case "redir3" -> redirect("/redir2" + rest);
                case "redir2" -> redirect("/redir" + rest);
                case "redir_host" -> redirect("http://localhost:" + listener.getLocalPort() + "/ok" + rest);
                // A server certificate with an announced size of 16 MB, in records of 16 KB (RFC 8446 section 4).
                case "tls" -> forever("", "\u0016\u0003\u0003@\0\u000b\u00ff\u00ff\u00ff" + "\0".repeat(16_380));
                default -> {
                    String target = targets.get(mode);
                    if (target == null) {
                        refuse(mode + " As Asked", "1");
                    } else {
                        redirect(target + rest);
                    }
                }
            }
        }

        /** Sends a response without a body. */
        void send(String status, List<String> headers) throws IOException {
            send(status, headers, new byte[0]);
        }

        /** Sends a response. */
        void send(String status, List<String> headers, byte[] body) throws IOException {
            StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append("\r\n");
            headers.forEach(header -> head.append(header).append("\r\n"));
            write(head.append("Connection: close\r\n\r\n").toString());
            write(body);
        }

        void redirect(String target) throws IOException {
            send("302 Found", List.of("Location: " + target, "Content-Length: 0"));
        }

        /** Sends an error with a {@code Retry-After}. */
        void refuse(String status, String retryAfter) throws IOException {
            byte[] ignored = latin("<html>\r\nan error page, of no interest\r\n</html>");
            send(status, List.of("Retry-After: " + retryAfter, length(ignored)), ignored);
        }

        /** Sends one byte for each character. */
        void write(String text) throws IOException {
            write(latin(text));
        }

        void write(byte[] bytes) throws IOException {
            OutputStream out = connection.getOutputStream();
            out.write(bytes);
            out.flush();
            taken.addAndGet(bytes.length);
        }

        /** Sends {@code head}, then repeats {@code unit} until the client disconnects. */
        void forever(String head, String unit) throws IOException {
            connection.setSendBufferSize(SEND_BUFFER_BYTES);
            write(head);
            byte[] block = latin(unit.repeat(Math.max(1, SEND_BUFFER_BYTES / unit.length())));
            for (long sent = 0; sent < MAX_ENDLESS_BYTES; sent += block.length) {
                write(block);
            }
        }

        /** Sends a byte every 20 ms. */
        void drip(String text) throws IOException, InterruptedException {
            for (byte each : latin(text)) {
                write(new byte[] {each});
                Thread.sleep(DRIP_MILLIS);
            }
        }

        /** Sends nothing for ten minutes. */
        void hang() throws InterruptedException {
            Thread.sleep(600_000);
        }

        /** Ends the connection with RST instead of FIN. */
        void reset() throws IOException {
            connection.setSoLinger(true, 0);
        }

        private byte[] tiny() {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            for (byte each : file) {
                out.writeBytes(latin("1;of=" + file.length + "\r\n"));
                out.write(each);
                out.writeBytes(latin("\r\n"));
            }
            out.writeBytes(latin("0\r\nX-Trailer: a\r\n\r\n"));
            return out.toByteArray();
        }
    }

    static String length(byte[] body) {
        return "Content-Length: " + body.length;
    }

    static String size(int bytes) {
        return "X-DEBUGINFOD-SIZE: " + bytes;
    }

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    static byte[] gzip(byte[] plain) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    /** Returns the body in chunks with this end. */
    static byte[] chunked(byte[] body, String end) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < body.length; at += 8_000) {
            int length = Math.min(8_000, body.length - at);
            out.writeBytes(latin(Integer.toHexString(length) + "\r\n"));
            out.write(body, at, length);
            out.writeBytes(latin("\r\n"));
        }
        out.writeBytes(latin(end));
        return out.toByteArray();
    }
}
