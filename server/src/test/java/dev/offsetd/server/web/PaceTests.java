package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

@ChecklistRow(42)
class PaceTests {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Pace pace = new Pace(1000, Duration.ofSeconds(5));

    @Test
    void fewBytesNowAndThenAreTooSlowAfterTheAllowance() {
        for (int i = 0; i < 5; i++) {
            assertThat(pace.keeps(4, SECOND)).as("second %d", i).isTrue();
        }
        assertThat(pace.keeps(4, SECOND)).isFalse();
    }

    @Test
    void theRateItselfIsFastEnoughForEver() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(pace.keeps(1000, SECOND)).isTrue();
        }
    }

    @Test
    void muchAtOnceBuysNoLongerSilence() {
        assertThat(pace.keeps(Long.MAX_VALUE, SECOND)).isTrue();
        assertThat(pace.keeps(0, 5 * SECOND)).isTrue();
        assertThat(pace.keeps(0, SECOND)).isFalse();
    }

    @Test
    void afterBeingBehindBytesRestoreTheAllowance() {
        assertThat(pace.keeps(0, 4 * SECOND)).isTrue();
        assertThat(pace.keeps(4_000, 0)).isTrue();
        assertThat(pace.keeps(0, 5 * SECOND)).isTrue();
    }
}
