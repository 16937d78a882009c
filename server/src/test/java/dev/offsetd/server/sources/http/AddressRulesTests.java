package dev.offsetd.server.sources.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ChecklistRow(4)
class AddressRulesTests {

    private static final AddressRules RULES = new AddressRules("offsetd.upstreams.allowed-networks", List.of());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "10.0.0.1",
                "100.64.0.1",
                "127.0.0.1",
                "127.255.255.254",
                "169.254.169.254",
                "172.16.0.1",
                "172.31.255.255",
                "192.0.0.1",
                "192.0.2.1",
                "192.88.99.1",
                "192.168.0.1",
                "198.18.0.1",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "::7f00:1",
                "::ffff:127.0.0.1",
                "::ffff:0:7f00:1",
                "64:ff9b::7f00:1",
                "64:ff9b::8.8.8.8",
                "64:ff9b:1::1",
                "100::1",
                "100:0:0:1::1",
                "2001::1",
                "2001:db8::1",
                "2002:7f00:1::1",
                "3fff::1",
                "5f00::1",
                "fc00::1",
                "fd12:3456::1",
                "fe80::1",
                "fec0::1",
                "ff02::1"
            })
    void specialAddressIsForbidden(String address) {
        assertThatThrownBy(() -> RULES.require(InetAddress.ofLiteral(address)))
                .isInstanceOfSatisfying(
                        AddressRules.ForbiddenAddressException.class,
                        e -> assertThat(e.detail()).startsWith("leads to the address "));
    }

    @Test
    void embeddedAndScopedAddressesAreForbidden() throws Exception {
        byte[] mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 127, 0, 0, 1};
        InetAddress inside = Inet6Address.getByAddress(null, mapped, 1);
        assertThatThrownBy(() -> RULES.require(inside)).isInstanceOf(AddressRules.ForbiddenAddressException.class);
        InetAddress scoped =
                Inet6Address.getByAddress(null, InetAddress.ofLiteral("fe80::1").getAddress(), 1);
        assertThatThrownBy(() -> RULES.require(scoped)).isInstanceOf(AddressRules.ForbiddenAddressException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"1.1.1.1", "9.255.255.255", "172.32.0.1", "198.20.0.1", "223.255.255.255", "2600::1", "2a00::1"})
    void publicAddressIsPermitted(String address) {
        assertThatCode(() -> RULES.require(InetAddress.ofLiteral(address))).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.1",
                "2130706433",
                "017700000001",
                "0177.0.0.1",
                "0x7f000001",
                "0x7F.0.0.1",
                "0x7f.1",
                "127.0.0.1.",
                "0",
                "0x",
                "1.2.3.4.5",
                "256.256.256.256",
                "a.b.127",
                "localhost",
                "LOCALHOST.",
                "any.localhost",
                "::1",
                "::ffff:a00:1"
            })
    void addressOrLocalhostIsForbiddenInAnySpelling(String host) {
        assertThatThrownBy(() -> RULES.requireHost(host)).isInstanceOf(AddressRules.ForbiddenAddressException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"debuginfod.example", "1.1.1.1", "16843009", "a1", "localhost.example", "2600::1", "1.2.0x0g"})
    void namesAndPublicAddressesArePermitted(String host) {
        assertThatCode(() -> RULES.requireHost(host)).doesNotThrowAnyException();
    }

    @Test
    void allowedNetworksArePermitted() {
        AddressRules rules = new AddressRules(
                "offsetd.upstreams.allowed-networks", List.of("10.1.0.0/16", "fd00::/8", "192.168.7.7"));
        for (String address : List.of("10.1.255.1", "fd00::1", "192.168.7.7", "1.1.1.1")) {
            assertThatCode(() -> rules.require(InetAddress.ofLiteral(address))).doesNotThrowAnyException();
        }
        for (String address : List.of("10.2.0.1", "fc00::1", "192.168.7.8", "127.0.0.1")) {
            assertThatThrownBy(() -> rules.require(InetAddress.ofLiteral(address)))
                    .isInstanceOf(AddressRules.ForbiddenAddressException.class);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"internal.example", "10.0.0.0/33", "10.0.0.0/x", "", "10.0.0.0/-2"})
    void invalidNetworkIsNamed(String network) {
        assertThatThrownBy(() -> new AddressRules("offsetd.upstreams.allowed-networks", List.of(network)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("offsetd.upstreams.allowed-networks has ")
                .hasMessageEndingWith("; expected a network like 10.0.0.0/8 or fd00::/8");
    }
}
