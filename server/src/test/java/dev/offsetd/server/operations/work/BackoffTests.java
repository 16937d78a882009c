package dev.offsetd.server.operations.work;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BackoffTests {

    private static final Backoff BACKOFF = new Backoff(Duration.ofSeconds(2), Duration.ofHours(1));

    @Test
    void timeDoublesWithEachAttempt() {
        assertThat(BACKOFF.after(1, Duration.ZERO)).isEqualTo(Duration.ofSeconds(2));
        assertThat(BACKOFF.after(2, Duration.ZERO)).isEqualTo(Duration.ofSeconds(4));
        assertThat(BACKOFF.after(5, Duration.ZERO)).isEqualTo(Duration.ofSeconds(32));
    }

    @Test
    void longerTimeOfTheWorkCounts() {
        assertThat(BACKOFF.after(1, Duration.ofMinutes(3))).isEqualTo(Duration.ofMinutes(3));
        assertThat(BACKOFF.after(3, Duration.ofSeconds(7))).isEqualTo(Duration.ofSeconds(8));
        assertThat(BACKOFF.after(20, Duration.ofDays(1))).isEqualTo(Duration.ofDays(1));
    }

    @Test
    void timeGrowsToTheLongestAtMost() {
        for (int attempts : new int[] {12, 40, 64, 1000, Integer.MAX_VALUE}) {
            assertThat(BACKOFF.after(attempts, Duration.ZERO)).isEqualTo(Duration.ofHours(1));
        }
    }
}
