package dev.offsetd.server.uploads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code Content-Digest} headers of RFC 9530. */
class ContentDigestTests {

    private static final String SHA256 = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:";

    private static final String HEX = "5f8f04f6a3a892aaabbddb6cf273894493773960d4a325b105fee46eef4304f1";

    @Test
    void sha256IsFoundAmongOtherAlgorithms() {
        assertThat(ContentDigest.sha256(List.of(SHA256))).hasValue(HEX);
        assertThat(ContentDigest.sha256(List.of("sha-512=:AAAA:, " + SHA256))).hasValue(HEX);
        assertThat(ContentDigest.sha256(List.of("unixsum=:AA==:", SHA256 + ";note=1")))
                .hasValue(HEX);
    }

    @Test
    void noHeaderMeansNoDigest() {
        assertThat(ContentDigest.sha256(List.of())).isEmpty();
    }

    @Test
    void lastOfTwoDigestsCounts() {
        String other = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:";
        assertThat(ContentDigest.sha256(List.of(other + "," + SHA256))).hasValue(HEX);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "sha-512=:AAAA:",
                "sha-256=:AAAA:",
                "sha-256=X48E",
                "sha-256",
                "SHA-256=:AAAA:",
                ":::",
                "sha-256=:A:",
                HEX
            })
    void otherDigestsAreRefused(String header) {
        assertThatIllegalArgumentException().isThrownBy(() -> ContentDigest.sha256(List.of(header)));
    }
}
