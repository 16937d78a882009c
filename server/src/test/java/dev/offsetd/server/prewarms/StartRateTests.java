package dev.offsetd.server.prewarms;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.prewarms.ItemAttempts.StartRate;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class StartRateTests {

    @Test
    void onlySoManyMayBeginTogether() throws Exception {
        StartRate pace = new StartRate(1, 2);
        assertThat(pace.await()).isTrue();
        CompletableFuture<Boolean> second = waiting(pace);
        Thread.sleep(50);
        assertThat(second).as("one a minute").isNotDone();
        pace.stop();
        assertThat(second.get(10, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void nextMayBeginWhenItsTimeHasCome() throws Exception {
        StartRate pace = new StartRate(6000, 1);
        for (int i = 0; i < 5; i++) {
            assertThat(pace.await()).isTrue();
        }
    }

    @Test
    void nothingBeginsAfterTheStop() throws Exception {
        StartRate pace = new StartRate(60, 1);
        pace.stop();
        assertThat(pace.await()).isFalse();
    }

    private static CompletableFuture<Boolean> waiting(StartRate pace) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return pace.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
