package dev.offsetd.server.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A change wakes all clients that wait for events; they do not take all connections to the database. */
@Timeout(60)
class EventReadsTests {

    private static final int CLIENTS = 100;
    private static final EventFilter ALL = new EventFilter(List.of(), List.of());

    private final AtomicInteger reading = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicInteger count = new AtomicInteger();

    /** Milliseconds that a read takes. */
    private long pause = 5;

    private final EventReads reads = new EventReads((_, after, _) -> {
        most.accumulateAndGet(reading.incrementAndGet(), Math::max);
        count.incrementAndGet();
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        reading.decrementAndGet();
        return new EventLog.Part(List.of(), after, 0);
    });

    private void readAtOnce(IntToLongFunction position) throws Exception {
        CountDownLatch wakened = new CountDownLatch(1);
        List<Future<Long>> read = new ArrayList<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                long after = position.applyAsLong(i);
                read.add(clients.submit(() -> {
                    wakened.await();
                    return reads.read(ALL, after, 50).position();
                }));
            }
            wakened.countDown();
            for (int i = 0; i < CLIENTS; i++) {
                assertThat(read.get(i).get()).isEqualTo(position.applyAsLong(i));
            }
        }
    }

    @Test
    void clientsWithOnePositionShareReads() throws Exception {
        // Long enough for all to ask meanwhile, on a busy machine too.
        pause = 500;
        readAtOnce(_ -> 7);
        assertThat(count.get()).isLessThan(CLIENTS / 2);
    }

    @Test
    void clientsWithOtherPositionsReadAFewAtATime() throws Exception {
        readAtOnce(number -> number);
        assertThat(count.get()).isEqualTo(CLIENTS);
        assertThat(most.get()).isBetween(1, EventReads.MOST);
    }
}
