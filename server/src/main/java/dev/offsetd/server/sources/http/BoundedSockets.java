package dev.offsetd.server.sources.http;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets, with TLS or without, that fail when the peer sends too much {@linkplain Framing framing}, and that connect to
 * permitted addresses only. The address is checked at the moment of the connection, so a name that resolves differently the
 * second time (DNS rebinding) cannot evade the check.
 */
final class BoundedSockets {

    /** Keyed by plain and by TLS socket. Sockets compare by identity. */
    private final Map<Socket, Framing> framings = Collections.synchronizedMap(new WeakHashMap<>());

    /**
     * Returns the byte count of a connection.
     *
     * @throws IllegalArgumentException if its socket was not created here
     */
    Framing framing(Socket connection) {
        Framing framing = framings.get(connection);
        if (framing == null) {
            throw new IllegalArgumentException("the connection is not bounded: " + connection);
        }
        return framing;
    }

    /**
     * Returns a factory of unconnected sockets.
     *
     * @param rules null to permit any address
     */
    SocketFactory plain(@Nullable AddressRules rules) {
        return new PlainFactory(rules);
    }

    /** Returns a factory that adds TLS to connected sockets of {@link #plain}. */
    SSLSocketFactory encrypted(SSLSocketFactory tls) {
        return new TlsFactory(tls);
    }

    /** OkHttp creates unconnected sockets, and adds TLS when they are connected. */
    private static UnsupportedOperationException connectedAlready() {
        return new UnsupportedOperationException("this factory does not create connected sockets");
    }

    /** A socket that counts what it receives. */
    private static final class BoundedSocket extends Socket {

        private final @Nullable AddressRules rules;
        private final Framing framing;

        BoundedSocket(@Nullable AddressRules rules, Framing framing) {
            this.rules = rules;
            this.framing = framing;
        }

        @Override
        public void connect(SocketAddress endpoint, int timeoutMillis) throws IOException {
            // An unresolved endpoint has no address; connecting to it fails.
            if (rules != null && endpoint instanceof InetSocketAddress target && target.getAddress() != null) {
                rules.require(target.getAddress());
            }
            super.connect(endpoint, timeoutMillis);
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    int one = super.read();
                    if (one >= 0) {
                        framing.received(1);
                    }
                    return one;
                }

                @Override
                public int read(byte[] into, int from, int length) throws IOException {
                    int read = super.read(into, from, length);
                    if (read > 0) {
                        framing.received(read);
                    }
                    return read;
                }
            };
        }
    }

    private final class PlainFactory extends SocketFactory {

        private final @Nullable AddressRules rules;

        PlainFactory(@Nullable AddressRules rules) {
            this.rules = rules;
        }

        @Override
        public Socket createSocket() {
            Framing framing = new Framing();
            Socket socket = new BoundedSocket(rules, framing);
            framings.put(socket, framing);
            return socket;
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw connectedAlready();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw connectedAlready();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw connectedAlready();
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
            throw connectedAlready();
        }
    }

    private final class TlsFactory extends SSLSocketFactory {

        private final SSLSocketFactory tls;

        TlsFactory(SSLSocketFactory tls) {
            this.tls = tls;
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
            throw connectedAlready();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw connectedAlready();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw connectedAlready();
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
            throw connectedAlready();
        }
    }
}
