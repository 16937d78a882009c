package dev.offsetd.server.admin.signin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.fetch.Fault;
import dev.offsetd.server.fetch.FaultServer;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;

/** Endless responses of an OpenID Connect provider. */
@Timeout(60)
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

    private static Optional<Map<?, ?>> documentAt(String url) {
        try {
            return Optional.ofNullable(new RestTemplate(ProviderHttp.requests()).getForObject(url, Map.class));
        } catch (RestClientException unreadable) {
            return Optional.empty();
        }
    }
}
