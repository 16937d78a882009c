package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;

/** The address that a request comes from, fit to be kept and logged. */
final class ClientAddress {

    /** Stands for what a proxy sent in place of an address. */
    static final String UNKNOWN = "unknown";

    private ClientAddress() {}

    /** The client's IP address in its usual form. */
    static String of(HttpServletRequest request) {
        try {
            return InetAddress.ofLiteral(request.getRemoteAddr()).getHostAddress();
        } catch (IllegalArgumentException e) {
            return UNKNOWN;
        }
    }
}
