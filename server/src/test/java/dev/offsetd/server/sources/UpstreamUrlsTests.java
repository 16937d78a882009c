package dev.offsetd.server.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.Test;

class UpstreamUrlsTests {

    @Test
    void publicFederationIsTheDefault() {
        assertThat(UpstreamPolicies.choose(null, null))
                .containsExactly(HttpUrl.get("https://debuginfod.elfutils.org/"))
                .isEqualTo(UpstreamPolicies.choose(null, " "));
    }

    @Test
    void debuginfodUrlsIsSplitAtSpaces() {
        assertThat(UpstreamPolicies.choose(null, " https://a/  http://b:8002 "))
                .extracting(HttpUrl::toString)
                .containsExactly("https://a/", "http://b:8002/");
    }

    @Test
    void elfutilsPoliciesAreIgnored() {
        assertThat(UpstreamPolicies.choose(null, "ima:enforcing https://a/ ima:ignore file:///srv/debug https://b/"))
                .extracting(HttpUrl::toString)
                .containsExactly("https://a/", "https://b/");
    }

    @Test
    void configurationOverridesTheEnvironment() {
        assertThat(UpstreamPolicies.choose(List.of("https://a/"), "https://b/"))
                .containsExactly(HttpUrl.get("https://a/"));
        assertThat(UpstreamPolicies.choose(List.of(), "https://b/")).isEmpty();
    }

    @Test
    void twoSpellingsOfOneUpstreamAreEqual() {
        assertThat(UpstreamPolicies.choose(List.of("https://a/x", "https://A:443/x/", "https://a/y"), null))
                .extracting(HttpUrl::toString)
                .containsExactly("https://a/x/", "https://a/y/");
    }

    @Test
    void invalidConfiguredUrlStopsTheStart() {
        assertThatThrownBy(() -> UpstreamPolicies.choose(List.of("file:///srv/debug"), null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("offsetd.upstreams.urls has \"file:///srv/debug\"; expected an http or https URL");
    }
}
