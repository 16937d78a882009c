package dev.offsetd.server.fetch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import javax.net.ssl.SSLSocketFactory;

/** TLS over {@linkplain BoundedSocketFactory bounded sockets}. Finds the byte count of a connection, with TLS or without. */
final class BoundedTlsFactory extends SSLSocketFactory {

    private final SSLSocketFactory tls;

    /** Keyed by TLS socket. Sockets compare by identity. */
    private final Map<Socket, Framing> framings = Collections.synchronizedMap(new WeakHashMap<>());

    BoundedTlsFactory(SSLSocketFactory tls) {
        this.tls = tls;
    }

    /**
     * Returns the byte count of a connection.
     *
     * @throws IllegalArgumentException if its socket comes from another factory
     */
    Framing framing(Socket connection) {
        if (connection instanceof BoundedSocketFactory.BoundedSocket plain) {
            return plain.framing();
        }
        Framing framing = framings.get(connection);
        if (framing == null) {
            throw new IllegalArgumentException("the connection is not bounded: " + connection);
        }
        return framing;
    }

    @Override
    public Socket createSocket(Socket socket, String host, int port, boolean autoClose) throws IOException {
        Socket encrypted = tls.createSocket(socket, host, port, autoClose);
        Framing framing = framing(socket);
        framing.encrypted();
        framings.put(encrypted, framing);
        return encrypted;
    }

    @Override
    public String[] getDefaultCipherSuites() {
        return tls.getDefaultCipherSuites();
    }

    @Override
    public String[] getSupportedCipherSuites() {
        return tls.getSupportedCipherSuites();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw onItsOwn();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw onItsOwn();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw onItsOwn();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw onItsOwn();
    }

    /** OkHttp adds TLS to connected sockets only. */
    private static UnsupportedOperationException onItsOwn() {
        return new UnsupportedOperationException("this factory adds TLS to connected sockets only");
    }
}
