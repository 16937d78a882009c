package dev.offsetd.server.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A fixed address in front of a server that comes and goes. While the server is down, connections are accepted and
 * closed, as a load balancer does.
 */
public final class TcpForwarder implements AutoCloseable {

    private final ServerSocket listener;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private volatile int target;

    /** @param target port of 127.0.0.1 */
    public TcpForwarder(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 64, InetAddress.ofLiteral("127.0.0.1"));
        Thread.ofPlatform().daemon().start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Sets the target port of new connections. */
    public void redirectTo(int port) {
        target = port;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket caller = listener.accept();
                connections.add(caller);
                try {
                    Socket server = new Socket(InetAddress.ofLiteral("127.0.0.1"), target);
                    connections.add(server);
                    copy(caller, server);
                    copy(server, caller);
                } catch (IOException e) {
                    // The target is down.
                    caller.close();
                }
            } catch (IOException e) {
                // This forwarder was closed.
                return;
            }
        }
    }

    private void copy(Socket from, Socket to) {
        Thread.ofPlatform().daemon().start(() -> {
            try (from;
                    to;
                    InputStream in = from.getInputStream();
                    OutputStream out = to.getOutputStream()) {
                in.transferTo(out);
            } catch (IOException e) {
                // When one end closes, close the other too.
                connections.remove(from);
            }
        });
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
