package dev.offsetd.server.fetch;

import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.springframework.boot.http.client.InetAddressFilter;

/**
 * Which addresses may be connected for a URL that the operator has not configured: those of the public internet, and
 * those of networks that the operator allows. An upstream chooses where it redirects to, and must not reach by us what
 * it cannot reach by itself.
 */
final class AddressRules {

    /** The registries of RFC 6890 as Spring Boot has them, and what they have gained or lost since. */
    private static final InetAddressFilter PUBLIC = InetAddressFilter.externalAddresses()
            .andNot(
                    // IPv4-compatible addresses (RFC 4291 section 2.5.5.1) and site-local ones (RFC 3879): both
                    // deprecated.
                    "::/96",
                    "fec0::/10",
                    // Translation within a site (RFC 8215), dummy addresses (RFC 9780), documentation (RFC 9637), SRv6
                    // (RFC 9602).
                    "64:ff9b:1::/48",
                    "100:0:0:1::/64",
                    "3fff::/20",
                    "5f00::/16");

    /** A name whose last label is a number is an address, in one of many spellings (WHATWG URL, "ends in a number"). */
    private static final Pattern NUMBER_AT_THE_END = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0[xX][0-9a-fA-F]*)");

    private final InetAddressFilter permitted;

    /**
     * Rules with exceptions.
     *
     * @param allowedNetworks in CIDR notation; addresses in them are as good as public ones
     * @throws IllegalArgumentException if one of them is no network
     */
    AddressRules(List<String> allowedNetworks) {
        InetAddressFilter permits = PUBLIC;
        for (String network : allowedNetworks) {
            try {
                permits = permits.or(network);
            } catch (IllegalArgumentException notANetwork) {
                throw new IllegalArgumentException("offsetd.upstreams.allowed-networks has "
                        + HostileText.quote(network) + "; expected a network like 10.0.0.0/8 or fd00::/8");
            }
        }
        this.permitted = permits;
    }

    /** Lets pass only an address that may be connected. */
    void require(InetAddress address) throws ForbiddenAddressException {
        if (!permitted.matches(plain(address))) {
            throw new ForbiddenAddressException(address.getHostAddress());
        }
    }

    /**
     * Lets pass a host that is a name, or an address that may be connected, however it is spelled. What a name resolves
     * to is checked when it is connected; behind a proxy this is all that can be checked here.
     */
    void requireHost(String host) throws ForbiddenAddressException {
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

    /** Octal, hexadecimal and short spellings too: some resolvers understand them, and proxies. */
    private static InetAddress posixAddress(String text) throws ForbiddenAddressException {
        try {
            return Inet4Address.ofPosixLiteral(text);
        } catch (IllegalArgumentException e) {
            throw new ForbiddenAddressException(HostileText.quote(text));
        }
    }

    /** An IPv4 address inside an IPv6 address (RFC 4291 section 2.5.5.2) as what it is. */
    private static InetAddress plain(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An address that must not be connected. */
    static final class ForbiddenAddressException extends IOException {

        private final String detail;

        ForbiddenAddressException(String address) {
            this.detail = "leads to the address " + address
                    + ", which is neither public nor in offsetd.upstreams.allowed-networks";
        }

        /** What to say in {@link FetchOutcome#broken}. */
        String detail() {
            return detail;
        }
    }
}
