package dev.offsetd.server.sources.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.testkit.ChecklistRow;
import okhttp3.HttpUrl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectTests {

    @ParameterizedTest
    @CsvSource({
        "http://a/x/y, /z, http://a/z",
        "http://a/x/y, z, http://a/x/z",
        "http://a/x, https://b/z, https://b/z",
        "https://a/x, //b/z, https://b/z",
        "https://a/x, https://a/x, https://a/x",
    })
    void httpAndHttpsAreFollowed(String from, String location, String target) throws Exception {
        assertThat(Redirect.target(HttpUrl.get(from), location)).hasToString(target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"file:///etc/passwd", "ftp://a/b", "javascript:alert(1)", "http://[::1", "gopher://a:70/"})
    void otherSchemesAreRefused(String location) {
        assertThatThrownBy(() -> Redirect.target(HttpUrl.get("http://a/"), location))
                .isInstanceOf(BadResponseException.class)
                .hasMessage("redirect to \"" + location + "\"; expected an http or https URL");
    }

    @ChecklistRow(4)
    @Test
    void httpsNeverLeadsToHttp() {
        assertThatThrownBy(() -> Redirect.target(HttpUrl.get("https://a/"), "http://user:secret@a/private?key=1"))
                .isInstanceOf(BadResponseException.class)
                .hasMessage("redirect from https to \"http://a/...\"");
    }

    @Test
    void locationIsRequired() {
        assertThatThrownBy(() -> Redirect.target(HttpUrl.get("https://a/"), null))
                .isInstanceOf(BadResponseException.class)
                .hasMessage("redirect without a Location header");
    }
}
