package dev.offsetd.query.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReleaseVersionTests {

    private static ReleaseVersion version(String text) {
        return ReleaseVersion.parse(text).orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"3.1.2p20, 3.1.2", "8.1.2-1ubuntu2.14, 8.1.2", "2.7.4p191-3, 2.7.4"})
    void aPatchLevelAndTheRevisionOfAPatchReleaseDoNotCount(String text, String release) {
        assertThat(version(text)).isEqualByComparingTo(version(release)).isEqualTo(version(release));
    }

    @Test
    void theRevisionCountsWithoutAPatchNumber() {
        assertThat(version("2.36-9+deb12u7")).isLessThan(version("2.36-9+deb12u14"));
        assertThat(version("2.36-9+deb12u7").isOfSameSeries(version("2.36-9+deb12u14")))
                .isTrue();
        assertThat(version("2.36-9+deb12u7").isOfSameSeries(version("2.36"))).isFalse();
        assertThat(version("2.36-9+deb12u7").isOfSameSeries(version("2.36-0ubuntu4")))
                .isFalse();
        assertThat(version("2.36-9+deb12u7").isOfSameSeries(version("2.37-9+deb12u7")))
                .isFalse();
        assertThat(version("2.36").isOfSameSeries(version("2.36"))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2.1.0-beta3", "3.13.0a4", "3.13.0rc1", "3.13.0+", "3.4.0dev", "8.6.0-dev", "1.0~rc1"})
    void anythingElseIsAPreRelease(String text) {
        assertThat(version(text).preRelease()).isNotEmpty();
        assertThat(version(text).isOfSameSeries(version(text))).isFalse();
        assertThat(version(text)).isEqualTo(version(text)).isNotEqualTo(version(text + "x"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "v3.4", "unknown", ".3"})
    void aVersionBeginsWithANumber(String text) {
        assertThat(ReleaseVersion.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"3.4.5, 3.4.10", "3.9.20, 3.10.0", "3.4, 3.4.0", "2.1.0, 2.1.1737090214"})
    void versionsAreComparedByTheirNumbers(String lower, String higher) {
        assertThat(version(lower)).isLessThan(version(higher));
        assertThat(version(higher)).isGreaterThan(version(lower));
    }

    @Test
    void aSeriesHasThreeNumbersOfWhichTwoAreEqual() {
        assertThat(version("3.4.5").isOfSameSeries(version("3.4.1p9"))).isTrue();
        assertThat(version("3.4.5").isOfSameSeries(version("3.3.5"))).isFalse();
        assertThat(version("3.4.5").isOfSameSeries(version("3.4.6rc1"))).isFalse();
        assertThat(version("2.36").isOfSameSeries(version("2.36.1"))).isFalse();
    }
}
