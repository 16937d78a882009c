package dev.offsetd.server.admin.signin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.Fault;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.sources.http.AddressRules;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;

/** Endless responses of an OpenID Connect provider, and metadata that leads elsewhere. */
@Timeout(180)
class ProviderHttpIntegrationTests {

    /** The bound of a body and those of the JDK's client, plus socket buffers. */
    private static final long MAX_READ_BYTES = 8 << 20;

    static Stream<Fault> endless() {
        return Arrays.stream(Fault.values()).filter(Fault::isEndless);
    }

    @ParameterizedTest
    @MethodSource("endless")
    @ChecklistRow(3)
    void endlessResponseIsCutOff(Fault fault) {
        try (FaultServer provider = FaultServer.serving(new byte[] {1}, new byte[] {2})) {
            String url = provider.url(fault) + "/.well-known/openid-configuration";

            assertThat(documentAt(url)).isEmpty();

            assertThat(provider.pushed(fault.mode())).isLessThan(MAX_READ_BYTES);
        }
    }

    /** The faults at once: each takes as long as the timeout. */
    @Test
    @ChecklistRow(3)
    void slowResponseIsAbandoned() throws InterruptedException {
        List<Fault> slow = Arrays.stream(Fault.values())
                .filter(fault -> fault.taken() == Fault.Taken.TIMED_OUT)
                .toList();
        try (FaultServer provider = FaultServer.serving(new byte[] {1}, new byte[] {2})) {
            Queue<Fault> answered = new ConcurrentLinkedQueue<>();
            List<Thread> calls = slow.stream()
                    .map(fault -> Thread.startVirtualThread(() -> {
                        if (documentAt(provider.url(fault) + ".well-known/openid-configuration")
                                .isPresent()) {
                            answered.add(fault);
                        }
                    }))
                    .toList();
            for (Thread call : calls) {
                assertThat(call.join(Duration.ofSeconds(50)))
                        .as("the call of %s", slow.get(calls.indexOf(call)))
                        .isTrue();
            }
            assertThat(answered).isEmpty();
        }
    }

    private static RestTemplate client(String issuer, String... allowedNetworks) {
        return new RestTemplate(ProviderHttp.requests(
                URI.create(issuer), new AddressRules("offsetd.oidc.allowed-networks", List.of(allowedNetworks))));
    }

    /** Targets inside the operator's network; %d is the port of a server there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:%d/keys",
                "http://127.0.0.1:%d@127.0.0.2:%<d/keys",
                "http://localhost:%d/keys",
                "http://[::1]:%d/keys",
                "http://[::ffff:127.0.0.1]:%d/keys",
                "http://0x7f000001:%d/keys",
                "http://2130706433:%d/keys",
                "http://169.254.169.254/latest/meta-data/",
                "http://10.0.0.1/keys",
                "http://[fe80::1]/keys",
                "http://metadata.localhost:%d/keys"
            })
    @ChecklistRow(4)
    void metadataCannotNameInternalServers(String target) throws Exception {
        try (ServerSocket internal = new ServerSocket(0)) {
            internal.setSoTimeout(1);
            RestTemplate client = client("http://127.0.0.1:1/");
            URI url = URI.create(target.formatted(internal.getLocalPort()));

            assertThatThrownBy(() -> client.getForObject(url, Map.class))
                    .isInstanceOf(RestClientException.class)
                    .hasStackTraceContaining("leads to the address");

            assertThatThrownBy(internal::accept).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void metadataOfAnEncryptedIssuerCannotNameAPlainServer() {
        assertThatThrownBy(() ->
                        client("https://id.example.org/realm").getForObject("http://id.example.org/keys", Map.class))
                .hasMessageContaining("expected an https URL");
    }

    @Test
    void serversInAllowedNetworksAndTheIssuersOwnAreQueried() {
        try (FaultServer provider = FaultServer.serving(new byte[] {1}, new byte[] {2})) {
            String keys = provider.url("text200") + "keys";

            assertThatThrownBy(() ->
                            client("https://id.example.org", "127.0.0.0/8").getForObject(keys, Map.class))
                    .hasMessageContaining("expected an https URL");
            client("http://127.0.0.1:1", "127.0.0.0/8").getForObject(keys, String.class);
            client(provider.url("ok")).getForObject(keys, String.class);

            assertThat(provider.hits("text200")).isEqualTo(2);
        }
    }

    @Test
    @ChecklistRow(4)
    void redirectsAreNotFollowed() {
        try (FaultServer provider = FaultServer.serving(new byte[] {1}, new byte[] {2});
                FaultServer internal = FaultServer.serving(new byte[] {1}, new byte[] {2})) {
            String issuer = provider.url(provider.redirectingTo(internal.url("ok")));

            assertThatThrownBy(
                            () -> client(issuer).getForObject(issuer + ".well-known/openid-configuration", Map.class))
                    .hasMessageContaining("redirects, status");

            assertThat(internal.requests()).isEmpty();
        }
    }

    private static Optional<Map<?, ?>> documentAt(String url) {
        try {
            return Optional.ofNullable(client(url).getForObject(url, Map.class));
        } catch (RestClientException unreadable) {
            return Optional.empty();
        }
    }
}
