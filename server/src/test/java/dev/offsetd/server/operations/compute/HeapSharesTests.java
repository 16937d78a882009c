package dev.offsetd.server.operations.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.testkit.ChecklistRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

@ChecklistRow(2)
class HeapSharesTests {

    private final HeapShares shares = new HeapShares(2, 2_000);

    @Test
    void readingThatNeedsMoreThanAShareBeginsAgainWithAll() throws Exception {
        List<Long> bounds = new ArrayList<>();
        String read = shares.read(heap -> {
            bounds.add(heap.maxBytes());
            return kept(heap, 1_500);
        });
        assertThat(read).isEqualTo("kept");
        assertThat(bounds).containsExactly(1_000L, 2_000L);
        assertThatThrownBy(() -> shares.read(heap -> kept(heap, 2_500))).isInstanceOf(LimitExceededException.class);
    }

    private static String kept(HeapBudget heap, long bytes) throws LimitExceededException {
        heap.keep(bytes, "file", 0);
        return "kept";
    }

    @Test
    void largeFileWaitsForAllShares() throws Exception {
        String nested = shares.read(_ -> {
            assertThatThrownBy(() -> shares.read(true, Duration.ofMillis(1), _ -> ""))
                    .isInstanceOf(TimeoutException.class);
            return shares.read(_ -> "second");
        });
        assertThat(nested).isEqualTo("second");
        long bound = shares.read(true, Duration.ofMillis(1), HeapBudget::maxBytes);
        assertThat(bound).isEqualTo(2_000);
    }
}
