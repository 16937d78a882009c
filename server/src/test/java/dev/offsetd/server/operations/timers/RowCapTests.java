package dev.offsetd.server.operations.timers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The limit on rows holds between the periodic sweeps. */
@ChecklistRow({24})
class RowCapTests {

    @Test
    void callerThatReachesTheLimitSweepsFirst() {
        int[] rows = new int[1];
        RowCap[] cap = new RowCap[1];
        cap[0] = new RowCap("rows", 1_000, () -> {
            int surplus = Math.max(0, rows[0] - cap[0].target());
            rows[0] -= surplus;
            return surplus;
        });
        int most = 0;
        for (int i = 0; i < 10_000; i++) {
            rows[0]++;
            most = Math.max(most, rows[0]);
            cap[0].added(1);
        }
        assertThat(most).isBetween(900, 1_000);
    }

    @Test
    void failedSweepDoesNotFailTheCaller() {
        RowCap cap = new RowCap("rows", 1_000, () -> {
            throw new IllegalStateException("no database");
        });
        assertThatCode(() -> cap.added(1_000)).doesNotThrowAnyException();
        assertThatCode(cap::sweepOnTime).doesNotThrowAnyException();
    }

    @Test
    void fewRowsDoNotCauseASweep() {
        AtomicInteger sweeps = new AtomicInteger();
        RowCap cap = new RowCap("rows", 1_000, sweeps::incrementAndGet);
        cap.added(19);
        assertThat(sweeps).hasValue(0);
        cap.added(1);
        assertThat(sweeps).hasValue(1);
        cap.added(19);
        assertThat(sweeps).hasValue(1);
    }
}
