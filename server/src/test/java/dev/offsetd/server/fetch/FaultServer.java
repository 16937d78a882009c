package dev.offsetd.server.fetch;

import dev.offsetd.extractor.layout.BuildId;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

/**
 * A debuginfod that misbehaves on purpose. The first part of the path selects how, so one port serves every fault:
 * {@code http://127.0.0.1:PORT/trunc_cl/buildid/ID/debuginfo}. Requests are counted by mode. Every build-id gets the
 * same file. A connection serves one request, so that a client cannot hide a second one.
 *
 * <p>Modes, besides any status code such as {@code 404} or {@code 503} (with {@code Retry-After: 1} and a body to be
 * ignored):
 *
 * <ul>
 *   <li>sound: {@code ok}, {@code chunked}, {@code gzip} (both with {@code X-DEBUGINFOD-SIZE}), {@code nolength}, {@code
 *       redir} (to {@code ok}), {@code redir3} (three redirects, then the file), {@code redir_host} (to the same
 *       server by another name), {@code 404_then_ok}, {@code 429_then_ok}, {@code 503_then_ok} (the first time, with
 *       {@code Retry-After: 1}, then the file)
 *   <li>cut off: {@code trunc_cl}, {@code trunc_nocl}, {@code trunc_bare} (nothing announced), {@code gzip_cut}, {@code
 *       chunked_cut}, {@code closed} and {@code reset} (no answer at all), {@code reset_body} (half the body)
 *   <li>something else: {@code wrongid}, {@code wrongmachine}, {@code noid}, {@code text200}, {@code empty200}, {@code badsize}, {@code
 *       badcoding}, {@code notgzip}, {@code garbage} (no HTTP), {@code headerflood}, {@code headerflood_huge}
 *   <li>too much: {@code bomb} (64 MiB of zeros as gzip), {@code bomb_nocl} (plain and endless), {@code
 *       oversize} (only announced), {@code sparse} (1.1 GB of zeros)
 *   <li>too slow: {@code hang}, {@code headerdrip}, {@code stall} (half the body, then nothing), {@code
 *       slow} and {@code drip} (10 kB and 10 MB, one byte at a time)
 *   <li>astray: {@code loop}, {@code redir4}, {@code redir_file}, {@code redir_nowhere}, and wherever a test {@linkplain
 *       #redirectingTo wants}
 * </ul>
 */
public final class FaultServer implements AutoCloseable {

    /** Decompressed size of the body of {@code bomb}. */
    public static final int BOMB_BYTES = 64 << 20;

    /** Size of the body of {@code sparse}: that of the debug file of a distribution's kernel. */
    public static final long SPARSE_BYTES = 1_100_000_000;

    private static final int DRIP_MILLIS = 20;

    private static final String THEN_OK = "_then_ok";

    private static final Pattern ASKED = Pattern.compile("/buildid/([0-9a-f]+)/");

    /** Packed once, by the first test that wants it. */
    private static final class Bomb {
        static final byte[] PACKED = gzip(new byte[BOMB_BYTES]);
    }

    private final ServerSocket listener;
    private final byte[] file;
    private final byte[] otherBuildsFile;
    private final Map<String, AtomicInteger> hits = new ConcurrentHashMap<>();
    private final Map<String, String> targets = new ConcurrentHashMap<>();
    private final Map<String, String> scripts = new ConcurrentHashMap<>();
    private final Map<BuildId, byte[]> files = new ConcurrentHashMap<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final Thread acceptor;

    private FaultServer(byte[] file, byte[] otherBuildsFile) throws IOException {
        this.file = file.clone();
        this.otherBuildsFile = otherBuildsFile.clone();
        this.listener = new ServerSocket(0, 64, InetAddress.ofLiteral("127.0.0.1"));
        this.acceptor = Thread.ofVirtual().name("fault-server").start(this::accept);
    }

    /** Starts a server that sends {@code file} where it is sound, and {@code otherBuildsFile} in the mode {@code wrongid}. */
    public static FaultServer serving(byte[] file, byte[] otherBuildsFile) {
        try {
            return new FaultServer(file, otherBuildsFile);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The upstream's base URL for this mode. */
    public String url(String mode) {
        return "http://127.0.0.1:" + listener.getLocalPort() + "/" + mode + "/";
    }

    /** A mode that redirects to this URL, with the path of the file behind it. */
    public String redirectingTo(String target) {
        String mode = "redir_to_" + targets.size();
        targets.put(mode, target);
        return mode;
    }

    /**
     * Has an upstream of any name treat one build in a mode of its own. Its requests are counted by its name, and by its
     * name with the build-id behind it.
     */
    public void script(String upstream, BuildId id, String mode) {
        scripts.put(scripted(upstream, id), mode);
    }

    /** Requests for this build that this upstream has had so far. */
    public int hits(String upstream, BuildId id) {
        return hits(scripted(upstream, id));
    }

    private static String scripted(String upstream, BuildId id) {
        return upstream + "/" + id;
    }

    /** Has it send this file, where it is sound, for this build. */
    public void has(BuildId id, byte[] buildsFile) {
        files.put(id, buildsFile.clone());
    }

    /** The port that it listens on, at 127.0.0.1. */
    public int port() {
        return listener.getLocalPort();
    }

    /** Requests for this mode so far. */
    public int hits(String mode) {
        AtomicInteger count = hits.get(mode);
        return count == null ? 0 : count.get();
    }

    /** Heads of all requests so far, as they came. */
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
            String treatment = mode;
            if (id != null && script != null) {
                treatment = script;
                hit = count(scripted(mode, id));
            }
            if (treatment.startsWith("reset")) {
                // Closing then sends RST, not FIN.
                connection.setSoLinger(true, 0);
            }
            String actual = treatment.endsWith(THEN_OK) && hit > 1 ? "ok" : treatment.replace(THEN_OK, "");
            byte[] body = id == null ? file : files.getOrDefault(id, file);
            answer(actual, path.substring(mode.length() + 1), body, connection.getOutputStream());
        } catch (IOException clientWentAway) {
            // What many of the modes provoke.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connections.remove(connection);
        }
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
            head.append((char) c);
        }
        return head.toString();
    }

    private void answer(String mode, String rest, byte[] file, OutputStream out)
            throws IOException, InterruptedException {
        byte[] half = Arrays.copyOf(file, file.length / 2);
        byte[] gzip = gzip(file);
        switch (mode) {
            case "ok" -> send(out, "200 OK", List.of(length(file), size(file.length)), file);
            case "nolength" -> send(out, "200 OK", List.of(), file);
            case "chunked" ->
                send(out, "200 OK", List.of("Transfer-Encoding: chunked", size(file.length)), chunked(file, true));
            case "gzip" ->
                send(out, "200 OK", List.of("Content-Encoding: gzip", length(gzip), size(file.length)), gzip);
            case "trunc_cl" -> send(out, "200 OK", List.of(length(file)), half);
            case "trunc_nocl" -> send(out, "200 OK", List.of(size(file.length)), half);
            case "trunc_bare" -> send(out, "200 OK", List.of(), half);
            case "gzip_cut" ->
                send(out, "200 OK", List.of("Content-Encoding: gzip"), Arrays.copyOf(gzip, gzip.length / 2));
            case "chunked_cut" -> send(out, "200 OK", List.of("Transfer-Encoding: chunked"), chunked(half, false));
            case "closed", "reset" -> {
                // Closing is the whole answer.
            }
            case "reset_body" -> {
                send(out, "200 OK", List.of(length(file)), half);
                // What is on its way when a connection is reset may never arrive.
                Thread.sleep(100);
            }
            case "wrongid" -> send(out, "200 OK", List.of(length(otherBuildsFile)), otherBuildsFile);
            case "wrongmachine" -> {
                byte[] impossible = TestElf.withMachine(file, TestElf.EM_S390);
                send(out, "200 OK", List.of(length(impossible)), impossible);
            }
            case "noid" -> {
                byte[] anonymous = TestElf.withoutBuildId();
                send(out, "200 OK", List.of(length(anonymous)), anonymous);
            }
            case "text200" -> {
                byte[] page = ascii("<html>please log in</html>\u0007\n");
                send(out, "200 OK", List.of("Content-Type: text/html", length(page)), page);
            }
            case "empty200" -> send(out, "200 OK", List.of("Content-Length: 0"), new byte[0]);
            case "badsize" -> send(out, "200 OK", List.of(length(file), "X-DEBUGINFOD-SIZE: many"), file);
            case "badcoding" -> send(out, "200 OK", List.of(length(file), "Content-Encoding: br"), file);
            case "notgzip" -> send(out, "200 OK", List.of(length(file), "Content-Encoding: gzip"), file);
            case "garbage" -> out.write(ascii("SSH-2.0-OpenSSH\u001b[31m\r\n\r\n"));
            case "headerflood" -> send(out, "200 OK", flood(20 << 10, file), file);
            case "headerflood_huge" -> send(out, "200 OK", flood(1 << 20, file), file);
            case "bomb" -> send(out, "200 OK", List.of("Content-Encoding: gzip", length(Bomb.PACKED)), Bomb.PACKED);
            case "oversize" ->
                send(out, "200 OK", List.of("Content-Encoding: identity", size(BOMB_BYTES)), new byte[0]);
            case "bomb_nocl" -> {
                send(out, "200 OK", List.of(), file);
                while (true) {
                    out.write(file);
                }
            }
            case "sparse" -> {
                send(out, "200 OK", List.of("Content-Length: " + SPARSE_BYTES), new byte[0]);
                byte[] zeros = new byte[1 << 20];
                for (long sent = 0; sent < SPARSE_BYTES; sent += zeros.length) {
                    out.write(zeros, 0, (int) Math.min(zeros.length, SPARSE_BYTES - sent));
                }
            }
            case "hang" -> hang();
            case "headerdrip" -> drip(out, "HTTP/1.1 200 OK\r\nX-Slow: " + "x".repeat(10_000));
            case "stall" -> {
                send(out, "200 OK", List.of(length(file)), half);
                hang();
            }
            case "drip" -> {
                send(out, "200 OK", List.of("Content-Length: 10000000"), new byte[0]);
                drip(out, "x".repeat(10_000));
            }
            case "slow" -> {
                send(out, "200 OK", List.of("Content-Length: 10000"), new byte[0]);
                drip(out, "x".repeat(10_000));
            }
            case "redir" -> redirect(out, "/ok" + rest);
            case "redir4" -> redirect(out, "/redir3" + rest);
            case "redir3" -> redirect(out, "/redir2" + rest);
            case "redir2" -> redirect(out, "/redir" + rest);
            case "loop" -> redirect(out, "/loop" + rest);
            case "redir_host" -> redirect(out, "http://localhost:" + listener.getLocalPort() + "/ok" + rest);
            case "redir_file" ->
                send(
                        out,
                        "301 Moved Permanently",
                        List.of("Location: file:///etc/passwd", "Content-Length: 0"),
                        new byte[0]);
            case "redir_nowhere" -> send(out, "302 Found", List.of("Content-Length: 0"), new byte[0]);
            default -> {
                String target = targets.get(mode);
                if (target != null) {
                    redirect(out, target + rest);
                    return;
                }
                byte[] ignored = ascii("<html>\r\nan error page, of no interest\r\n</html>");
                send(out, mode + " As Asked", List.of("Retry-After: 1", length(ignored)), ignored);
            }
        }
    }

    private static List<String> flood(int bytes, byte[] file) {
        List<String> headers = new ArrayList<>();
        headers.add(length(file));
        for (int i = 0; i < bytes / 64; i++) {
            headers.add(String.format("X-Flood-%04d: %s", i, "x".repeat(48)));
        }
        return headers;
    }

    private static void redirect(OutputStream out, String target) throws IOException {
        send(out, "302 Found", List.of("Location: " + target, "Content-Length: 0"), new byte[0]);
    }

    private static void send(OutputStream out, String status, List<String> headers, byte[] body) throws IOException {
        StringBuilder head = new StringBuilder("HTTP/1.1 ").append(status).append("\r\n");
        headers.forEach(header -> head.append(header).append("\r\n"));
        out.write(ascii(head.append("Connection: close\r\n\r\n").toString()));
        out.write(body);
        out.flush();
    }

    private static void drip(OutputStream out, String text) throws IOException, InterruptedException {
        for (byte each : ascii(text)) {
            out.write(each);
            out.flush();
            Thread.sleep(DRIP_MILLIS);
        }
    }

    private static void hang() throws InterruptedException {
        Thread.sleep(600_000);
    }

    private static String length(byte[] body) {
        return "Content-Length: " + body.length;
    }

    private static String size(int bytes) {
        return "X-DEBUGINFOD-SIZE: " + bytes;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] gzip(byte[] plain) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(plain);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    private static byte[] chunked(byte[] body, boolean whole) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int at = 0; at < body.length; at += 8_000) {
            int end = Math.min(at + 8_000, body.length);
            out.writeBytes(ascii(Integer.toHexString(end - at) + "\r\n"));
            out.write(body, at, end - at);
            out.writeBytes(ascii("\r\n"));
        }
        out.writeBytes(ascii(whole ? "0\r\n\r\n" : "1f40\r\nhalf a chunk"));
        return out.toByteArray();
    }
}
