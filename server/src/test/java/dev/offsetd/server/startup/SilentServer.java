package dev.offsetd.server.startup;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Server that reads requests and closes their connections without an answer. It is alive and ready all the same. */
final class SilentServer implements AutoCloseable {

    private static final byte[] HEALTHY =
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ServerSocket socket;
    private final BlockingQueue<String> taken = new LinkedBlockingQueue<>();

    private SilentServer(ServerSocket socket) {
        this.socket = socket;
    }

    static SilentServer start() throws IOException {
        SilentServer server = new SilentServer(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
        Thread.ofVirtual().start(server::serve);
        return server;
    }

    int port() {
        return socket.getLocalPort();
    }

    /** Returns the methods of the requests read since the last call, without those for the health. */
    List<String> take() {
        List<String> methods = new ArrayList<>();
        taken.drainTo(methods);
        return methods;
    }

    private void serve() {
        while (!socket.isClosed()) {
            try (Socket connection = socket.accept()) {
                answer(connection);
            } catch (SocketException e) {
                // Closed here or by the client.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void answer(Socket connection) throws IOException {
        InputStream in = new BufferedInputStream(connection.getInputStream());
        String[] request = line(in).split(" ", -1);
        int length = 0;
        for (String header = line(in); !header.isEmpty(); header = line(in)) {
            if (header.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        header.substring(header.indexOf(':') + 1).strip());
            }
        }
        in.readNBytes(length);
        if (request.length > 1 && (request[1].equals("/livez") || request[1].equals("/readyz"))) {
            connection.getOutputStream().write(HEALTHY);
        } else {
            taken.add(request[0]);
        }
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
