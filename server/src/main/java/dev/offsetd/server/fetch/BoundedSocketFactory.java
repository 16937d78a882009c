package dev.offsetd.server.fetch;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets that fail when the peer sends too much {@linkplain Framing framing}, and that connect to permitted addresses only. The
 * address is checked at the moment of the connection, so a name that resolves differently the second time (DNS rebinding) cannot
 * evade the check.
 */
final class BoundedSocketFactory extends SocketFactory {

    private final @Nullable AddressRules rules;

    /** @param rules null to permit any address */
    BoundedSocketFactory(@Nullable AddressRules rules) {
        this.rules = rules;
    }

    /** A socket that counts what it receives. */
    static final class BoundedSocket extends Socket {

        private final @Nullable AddressRules rules;
        private final Framing framing = new Framing();

        private BoundedSocket(@Nullable AddressRules rules) {
            this.rules = rules;
        }

        Framing framing() {
            return framing;
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

    @Override
    public Socket createSocket() {
        return new BoundedSocket(rules);
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

    /** OkHttp creates unconnected sockets only. */
    private static UnsupportedOperationException connectedAlready() {
        return new UnsupportedOperationException("this factory creates unconnected sockets only");
    }
}
