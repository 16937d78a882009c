package dev.offsetd.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers and times as people read them. */
class FormatTests {

    @ParameterizedTest
    @CsvSource({
        "0, 0 ms",
        "999, 999 ms",
        "1000, 1.0 s",
        "4200, 4.2 s",
        "59999, 59 s",
        "185000, 3 min 5 s",
        "180000, 3 min",
        "187200000, 2 d 4 h"
    })
    void durationIsInItsTwoLargestUnits(long millis, String text) {
        assertThat(Format.duration(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @Test
    void countHasCommas() {
        assertThat(Format.count(1_234_567)).isEqualTo("1,234,567");
    }

    @Test
    void timeIsInUtcWhateverTheServersZone() {
        Instant time = Instant.parse("2026-11-21T23:59:58.123456Z");
        assertThat(Format.iso(time)).isEqualTo("2026-11-21T23:59:58Z");
        assertThat(Format.utc(time)).isEqualTo("2026-11-21 23:59");
    }
}
