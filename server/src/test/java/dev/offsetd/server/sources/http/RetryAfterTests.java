package dev.offsetd.server.sources.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import okhttp3.Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RetryAfterTests {

    private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | PT0S",
                "120 | PT2M",
                "86401 | PT24H",
                "999999999999999999 | PT24H",
                "99999999999999999999 | PT24H",
                "2147483648 | PT24H",
                "Fri, 20 Nov 2026 12:00:30 GMT | PT30S",
                "Fri, 20 Nov 2026 11:59:00 GMT | PT0S",
                "Fri, 20 Nov 2036 12:00:00 GMT | PT24H",
            })
    void secondsAndDatesAreReadUpToTheLimit(String value, Duration wait) {
        assertThat(RetryAfter.in(Headers.of("Retry-After", value), NOW, Duration.ofDays(1)))
                .contains(wait);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "soon", "1.5", "", "1e3"})
    void malformedValueIsIgnored(String value) {
        assertThat(RetryAfter.in(Headers.of("Retry-After", value), NOW, Duration.ofDays(1)))
                .isEmpty();
    }

    @Test
    void absentHeaderIsEmpty() {
        assertThat(RetryAfter.in(Headers.of(), NOW, Duration.ofDays(1))).isEmpty();
    }
}
