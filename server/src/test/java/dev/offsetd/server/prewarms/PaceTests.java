package dev.offsetd.server.prewarms;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PaceTests {

    @Test
    void onlySoManyMayBeginTogether() throws Exception {
        Pace pace = new Pace(1, 2);
        assertThat(pace.await()).isTrue();
        CompletableFuture<Boolean> second = waiting(pace);
        Thread.sleep(50);
        assertThat(second).as("one a minute").isNotDone();
        pace.stop();
        assertThat(second.get(10, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void nextMayBeginWhenItsTimeHasCome() throws Exception {
        Pace pace = new Pace(6000, 1);
        for (int i = 0; i < 5; i++) {
            assertThat(pace.await()).isTrue();
        }
    }

    @Test
    void nothingBeginsAfterTheStop() throws Exception {
        Pace pace = new Pace(60, 1);
        pace.stop();
        assertThat(pace.await()).isFalse();
    }

    private static CompletableFuture<Boolean> waiting(Pace pace) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return pace.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
