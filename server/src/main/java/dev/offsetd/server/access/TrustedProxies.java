package dev.offsetd.server.access;

import java.net.InetAddress;
import java.util.List;
import org.apache.catalina.valves.RemoteIpValve;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.stereotype.Component;

/**
 * Takes the client's address, scheme and host from {@code X-Forwarded-For}, {@code -Proto}, {@code -Host} and {@code -Port} if
 * the peer is a configured proxy. The client is the last address of a chain that is not a configured proxy; it may have
 * forged those before. Without configured proxies, the headers are ignored.
 */
@Component
class TrustedProxies implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>, Ordered {

    private final List<String> networks;

    TrustedProxies(AccessProperties properties) {
        networks = properties.trustedProxies().stream()
                .map(String::strip)
                .filter(network -> !network.isEmpty())
                .toList();
        for (String network : networks) {
            if (!isNetwork(network)) {
                throw new IllegalArgumentException("offsetd.trusted-proxies: " + network
                        + " is not an IP address or network; expected for example 10.0.0.0/8");
            }
        }
    }

    @Override
    public void customize(TomcatServletWebServerFactory tomcat) {
        if (networks.isEmpty()) {
            return;
        }
        RemoteIpValve valve = new RemoteIpValve();
        valve.setInternalProxies(String.join(",", networks));
        valve.setRemoteIpHeader("X-Forwarded-For");
        valve.setProtocolHeader("X-Forwarded-Proto");
        valve.setHostHeader("X-Forwarded-Host");
        valve.setPortHeader("X-Forwarded-Port");
        tomcat.addEngineValves(valve);
    }

    /** Runs after the valve that assigns the request id, so that every answer has one. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    private static boolean isNetwork(String text) {
        int slash = text.indexOf('/');
        try {
            InetAddress address = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
            int bits = address.getAddress().length * Byte.SIZE;
            int prefix = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
            return prefix >= 0 && prefix <= bits;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
