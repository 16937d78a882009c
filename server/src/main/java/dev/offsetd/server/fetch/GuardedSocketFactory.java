package dev.offsetd.server.fetch;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.SocketFactory;

/**
 * Sockets that connect only to addresses that the rules permit. The check is on the very address that is connected, so
 * it makes no difference whether it came out of a name, and what that name meant a moment ago.
 */
final class GuardedSocketFactory extends SocketFactory {

    private final AddressRules rules;

    GuardedSocketFactory(AddressRules rules) {
        this.rules = rules;
    }

    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public void connect(SocketAddress endpoint, int timeoutMillis) throws IOException {
                // One that is not resolved has no address, and cannot be connected.
                if (endpoint instanceof InetSocketAddress target && target.getAddress() != null) {
                    rules.require(target.getAddress());
                }
                super.connect(endpoint, timeoutMillis);
            }
        };
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
