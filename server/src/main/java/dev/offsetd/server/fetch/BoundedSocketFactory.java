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
 * Sockets that end with an error when their peer sends too much {@linkplain Framing framing}, and that connect only
 * addresses that the rules permit. The check is on the very address that is connected, so it makes no difference whether
 * it came out of a name, and what that name meant a moment ago.
 */
final class BoundedSocketFactory extends SocketFactory {

    private final @Nullable AddressRules rules;

    /** @param rules absent to connect any address */
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
            // One that is not resolved has no address, and cannot be connected.
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

    /** OkHttp asks for sockets that it connects itself. */
    private static UnsupportedOperationException connectedAlready() {
        return new UnsupportedOperationException("sockets are made unconnected");
    }
}
