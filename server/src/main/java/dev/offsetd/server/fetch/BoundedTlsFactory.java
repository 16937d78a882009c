package dev.offsetd.server.fetch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import javax.net.ssl.SSLSocketFactory;

/** TLS over {@linkplain BoundedSocketFactory bounded sockets}; finds the count of a connection again, encrypted or not. */
final class BoundedTlsFactory extends SSLSocketFactory {

    private final SSLSocketFactory tls;

    /** By the TLS socket. A socket equals only itself. */
    private final Map<Socket, Framing> framings = Collections.synchronizedMap(new WeakHashMap<>());

    BoundedTlsFactory(SSLSocketFactory tls) {
        this.tls = tls;
    }

    /**
     * What a connection counts.
     *
     * @throws IllegalArgumentException if its socket is none of ours
     */
    Framing framing(Socket connection) {
        if (connection instanceof BoundedSocketFactory.BoundedSocket plain) {
            return plain.framing();
        }
        Framing framing = framings.get(connection);
        if (framing == null) {
            throw new IllegalArgumentException("a connection without bounds: " + connection);
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

    /** OkHttp lays TLS over sockets that are connected. */
    private static UnsupportedOperationException onItsOwn() {
        return new UnsupportedOperationException("TLS is laid over a connected socket");
    }
}
