package dev.offsetd.server.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.sources.http.Timeouts;
import java.time.Duration;
import java.util.List;
import okhttp3.HttpUrl;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.NestedExceptionUtils;

class UpstreamPoliciesTests {

    private static List<UpstreamPolicy> policies(@Nullable String debuginfodUrls, String... properties) {
        return UpstreamPolicies.of(UpstreamFixture.upstreams(properties), debuginfodUrls);
    }

    @Test
    void plainUrlsHaveTheSamePolicy() {
        assertThat(policies("https://a.example"))
                .containsExactly(new UpstreamPolicy(
                        HttpUrl.get("https://a.example/"),
                        true,
                        UpstreamKind.FEDERATING,
                        List.of(),
                        new Timeouts(
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(5),
                                Duration.ofSeconds(30),
                                Duration.ofMinutes(10)),
                        false));
    }

    @Test
    void serversComeFirstAndEachHasItsOwnPolicy() {
        List<UpstreamPolicy> policies = policies(
                "https://ignored.example",
                "urls=https://plain.example,https://b.example",
                "headers-timeout=6s",
                "servers[0].url=https://a.example/x",
                "servers[0].kind=on-demand",
                "servers[0].not-found=1m,5m",
                "servers[0].connect-timeout=1s",
                "servers[0].stall-timeout=2s",
                "servers[0].total-timeout=3s",
                "servers[0].direct=true",
                "servers[1].url=https://b.example",
                "servers[1].enabled=false",
                "servers[1].kind=authoritative");
        assertThat(policies)
                .extracting(UpstreamPolicy::name)
                .containsExactly("https://a.example/x/", "https://b.example/", "https://plain.example/");
        UpstreamPolicy first = policies.getFirst();
        assertThat(first.kind()).isEqualTo(UpstreamKind.ON_DEMAND);
        assertThat(first.missTimes()).containsExactly(Duration.ofMinutes(1), Duration.ofMinutes(5));
        assertThat(first.timeouts())
                .isEqualTo(new Timeouts(
                        Duration.ofSeconds(1), Duration.ofSeconds(6), Duration.ofSeconds(2), Duration.ofSeconds(3)));
        assertThat(first.direct()).isTrue();
        assertThat(policies.get(1).enabled()).isFalse();
        assertThat(policies.get(1).kind().finality()).isEqualTo(FetchOutcome.Finality.FINAL);
        assertThat(policies.get(2).timeouts().headers()).isEqualTo(Duration.ofSeconds(6));
    }

    @Test
    void serversReplaceTheEnvironmentAndThePublicFederation() {
        assertThat(policies("https://env.example", "servers[0].url=https://a.example"))
                .extracting(UpstreamPolicy::name)
                .containsExactly("https://a.example/");
        assertThat(policies(null)).extracting(UpstreamPolicy::name).containsExactly(UpstreamPolicies.PUBLIC_FEDERATION);
    }

    @ChecklistRow(19)
    @Test
    void knownOnDemandServerHasItsKind() {
        assertThat(policies("https://debuginfod.opensuse.org/ https://debuginfod.elfutils.org/"))
                .extracting(UpstreamPolicy::kind)
                .containsExactly(UpstreamKind.ON_DEMAND, UpstreamKind.FEDERATING);
        assertThat(policies(null, "servers[0].url=https://debuginfod.opensuse.org"))
                .extracting(UpstreamPolicy::kind)
                .containsExactly(UpstreamKind.ON_DEMAND);
        assertThat(policies(null, "servers[0].url=https://debuginfod.opensuse.org", "servers[0].kind=authoritative"))
                .extracting(UpstreamPolicy::kind)
                .containsExactly(UpstreamKind.AUTHORITATIVE);
    }

    @Test
    void nameHasNoCredentials() {
        assertThat(policies("https://user:secret@a.example").getFirst().name()).isEqualTo("https://a.example/");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "servers[0].url=file:///a | offsetd.upstreams.servers[0].url is \"file:///a\"; expected an http or https URL",
                "servers[0].not-found=0s | offsetd.upstreams.servers[].not-found is 0s; expected more than 0",
                "servers[0].total-timeout=0s | offsetd.upstreams.servers[]: a timeout is 0s; expected more than 0",
            })
    void invalidServerIsNamed(String property, String message) {
        assertThatThrownBy(() -> policies(null, "servers[0].url=https://a.example", property))
                .satisfies(e ->
                        assertThat(NestedExceptionUtils.getMostSpecificCause(e)).hasMessage(message));
    }

    @Test
    void repeatedServerIsNamed() {
        assertThatThrownBy(() ->
                        policies(null, "servers[0].url=https://u:p@a.example", "servers[1].url=https://u:p@a.example/"))
                .hasMessage("offsetd.upstreams.servers[1].url is https://a.example/ again; expected each server once");
    }
}
