package dev.offsetd.server.sources.http;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import org.springframework.boot.http.client.InetAddressFilter;

/**
 * Addresses that the server may connect to for a URL that the operator has not configured: public addresses, and the networks
 * that the operator allows. An upstream chooses the targets of its redirects, and an identity provider its endpoints; neither may
 * reach internal services through this server (SSRF).
 */
public final class AddressRules {

    /** Spring Boot's list of the RFC 6890 registries, with later changes of the registries. */
    private static final InetAddressFilter PUBLIC = InetAddressFilter.externalAddresses()
            .andNot(
                    // IPv4-compatible addresses (RFC 4291 section 2.5.5.1) and site-local ones (RFC 3879): both
                    // deprecated.
                    "::/96",
                    "fec0::/10",
                    // IPv4-translated addresses (RFC 2765 section 2.1), which name any IPv4 address.
                    "::ffff:0:0:0/96",
                    // Translation within a site (RFC 8215), dummy addresses (RFC 9780), documentation (RFC 9637), SRv6
                    // (RFC 9602).
                    "64:ff9b:1::/48",
                    "100:0:0:1::/64",
                    "3fff::/20",
                    "5f00::/16");

    /** A host whose last label is a number is an address in one of many spellings (WHATWG URL, "ends in a number"). */
    private static final Pattern NUMBER_AT_THE_END = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0[xX][0-9a-fA-F]*)");

    private final String setting;
    private final InetAddressFilter permitted;

    /**
     * @param setting name of the setting with the networks, for messages
     * @param allowedNetworks networks in CIDR notation that are permitted like public addresses
     * @throws IllegalArgumentException if one of them cannot be parsed
     */
    public AddressRules(String setting, List<String> allowedNetworks) {
        this.setting = setting;
        InetAddressFilter permits = PUBLIC;
        for (String network : allowedNetworks) {
            try {
                permits = permits.or(network);
            } catch (IllegalArgumentException notANetwork) {
                throw new IllegalArgumentException(setting + " has " + HostileText.quote(network)
                        + "; expected a network like 10.0.0.0/8 or fd00::/8");
            }
        }
        this.permitted = permits;
    }

    /** Checks that the server may connect to an address. */
    void require(InetAddress address) throws ForbiddenAddressException {
        if (!permitted.matches(plain(address))) {
            throw new ForbiddenAddressException(address.getHostAddress(), setting);
        }
    }

    /**
     * Checks that a host, and each address that it has now, is permitted: for clients that resolve the host themselves.
     *
     * @throws UnknownHostException if it has no address
     */
    public void requireResolved(String host) throws ForbiddenAddressException, UnknownHostException {
        requireHost(host);
        for (InetAddress address : InetAddress.getAllByName(host)) {
            require(address);
        }
    }

    /**
     * Checks that a host is a name, or a permitted address in any spelling. The address that a name resolves to is checked when
     * the socket connects; behind a proxy, the host is all that can be checked.
     */
    public void requireHost(String host) throws ForbiddenAddressException {
        String name = (host.endsWith(".") ? host.substring(0, host.length() - 1) : host).toLowerCase(Locale.ROOT);
        if (name.indexOf(':') >= 0) {
            require(InetAddress.ofLiteral(name));
        } else if (name.equals("localhost") || name.endsWith(".localhost")) {
            // RFC 6761 section 6.3.
            require(InetAddress.getLoopbackAddress());
        } else if (NUMBER_AT_THE_END.matcher(name).matches()) {
            require(posixAddress(name));
        }
    }

    /** Parses octal, hexadecimal and short spellings, too, because some resolvers and proxies understand them. */
    private InetAddress posixAddress(String text) throws ForbiddenAddressException {
        try {
            return Inet4Address.ofPosixLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new ForbiddenAddressException(HostileText.quote(text), setting);
        }
    }

    /** Returns an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2) as the IPv4 address. */
    private static InetAddress plain(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The server must not connect to an address. */
    public static final class ForbiddenAddressException extends IOException {

        private final String detail;

        ForbiddenAddressException(String address, String setting) {
            this.detail = "leads to the address " + address + ", which is neither public nor in " + setting;
        }

        /** Returns what is forbidden, for clients. */
        public String detail() {
            return detail;
        }
    }
}
