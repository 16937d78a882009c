package dev.offsetd.query.gooffsets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions are in the order of Semantic Versioning. */
class GoVersionTests {

    private static GoVersion version(String text) {
        return GoVersion.parse(text).orElseThrow();
    }

    @Test
    void orderIsThatOfSemanticVersioning() {
        // The prereleases are the example of its section 11.
        List<String> ordered = List.of(
                "0.0.0-20230101000000-0123456789ab",
                "0.0.0",
                "1.0.0-alpha",
                "1.0.0-alpha.1",
                "1.0.0-alpha.beta",
                "1.0.0-beta",
                "1.0.0-beta.2",
                "1.0.0-beta.11",
                "1.0.0-rc.1",
                "1.0.0",
                "1.0.0+incompatible",
                "1.9.0",
                "1.10.0-0.20240102030405-abcdefabcdef",
                "1.10.0",
                "2.0.0");
        List<GoVersion> shuffled =
                new ArrayList<>(ordered.stream().map(GoVersionTests::version).toList());
        Collections.reverse(shuffled);
        Collections.sort(shuffled);

        assertThat(shuffled).extracting(GoVersion::toString).isEqualTo(ordered);
    }

    @ParameterizedTest
    @CsvSource({"v1.2.3, 1.2.3", "1.21, 1.21.0", "2, 2.0.0", "v2.0.0+incompatible, 2.0.0+incompatible"})
    void missingNumbersAreZero(String text, String version) {
        assertThat(version(text)).hasToString(version);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "v", "1.2.3.4", "1.x", "1.27rc1", "1.24.4 X:none", "devel", "9999999999.0.0", "1.0.0-"})
    void otherTextsAreNoVersions(String text) {
        assertThat(GoVersion.parse(text)).isEmpty();
    }

    @Test
    void changedCodeIsNotThatOfItsVersion() {
        assertThat(version("v1.2.3+dirty").isUnchanged()).isFalse();
        assertThat(version("v1.2.3+incompatible").isUnchanged()).isTrue();
    }
}
