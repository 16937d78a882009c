package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/** The address that a request comes from, fit to be kept and logged. */
public final class ClientAddress {

    /** Stands for what a proxy sent in place of an address. */
    static final String UNKNOWN = "unknown";

    /** Somebody has all addresses that begin with the same 64 bits (RFC 4291 section 2.5.4). */
    private static final int IPV6_NETWORK_BYTES = 8;

    private ClientAddress() {}

    /** The client's IP address in its usual form. */
    static String of(HttpServletRequest request) {
        try {
            return InetAddress.ofLiteral(request.getRemoteAddr()).getHostAddress();
        } catch (IllegalArgumentException e) {
            return UNKNOWN;
        }
    }

    /** What counts as one sender: an IPv4 address, or the network of an IPv6 one. */
    public static String network(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        InetAddress parsed;
        try {
            parsed = InetAddress.ofLiteral(address);
        } catch (IllegalArgumentException e) {
            return address;
        }
        return parsed instanceof Inet6Address
                ? Arrays.toString(Arrays.copyOf(parsed.getAddress(), IPV6_NETWORK_BYTES))
                : parsed.getHostAddress();
    }
}
