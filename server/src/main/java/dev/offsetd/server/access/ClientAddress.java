package dev.offsetd.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;

/** IP address of a client, safe to store and log. */
public final class ClientAddress {

    /** Stands for a forwarded header that is not an address. */
    static final String UNKNOWN = "unknown";

    /** A subscriber has all addresses with the same first 64 bits (RFC 4291 section 2.5.4). */
    private static final int IPV6_NETWORK_BYTES = 8;

    private ClientAddress() {}

    /** Returns the client's IP address in canonical form. */
    static String of(HttpServletRequest request) {
        try {
            return InetAddress.ofLiteral(request.getRemoteAddr()).getHostAddress();
        } catch (IllegalArgumentException e) {
            return UNKNOWN;
        }
    }

    /** Returns the key of a sender for limits: an IPv4 address, or the network of an IPv6 address. */
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
