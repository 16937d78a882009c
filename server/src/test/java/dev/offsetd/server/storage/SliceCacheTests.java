package dev.offsetd.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.util.unit.DataSize;

@Timeout(60)
class SliceCacheTests {

    private static final SliceCache.Edition EDITION =
            new SliceCache.Edition(BuildPart.TYPES, BuildId.parse("ab".repeat(20)), 1);

    private final SliceCache slices = new SliceCache(new CatalogueProperties(DataSize.ofMegabytes(16), 8));

    private static SliceCache.Slice slice(int number) {
        return new SliceCache.Slice(EDITION, number, 1);
    }

    private static byte[] content(SliceCache.Slice slice) {
        return new byte[] {(byte) slice.offset()};
    }

    @Test
    void slowReadDelaysOnlyThoseWhoNeedItsSlice() throws Exception {
        CompletableFuture<byte[]> store = new CompletableFuture<>();
        AtomicInteger reads = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<byte[]>> waiting = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                waiting.add(threads.submit(() -> slices.get(slice(0), slice -> {
                    reads.incrementAndGet();
                    begun.countDown();
                    return store.join();
                })));
            }
            begun.await();
            // Enough for every bin of the cache's table, and for it to grow.
            for (int i = 1; i < 2000; i++) {
                assertThat(slices.get(slice(i), SliceCacheTests::content)).containsExactly((byte) i);
            }
            assertThat(waiting).noneMatch(Future::isDone);
            store.complete(new byte[] {7});
            for (Future<byte[]> read : waiting) {
                assertThat(read.get()).containsExactly(7);
            }
        }
        assertThat(reads).hasValue(1);
    }

    @Test
    void failureIsGivenToTheCallerAndReadAgain() {
        assertThatThrownBy(() -> slices.get(slice(0), slice -> {
                    throw new IllegalStateException("the store is down");
                }))
                .isInstanceOf(IllegalStateException.class);
        assertThat(slices.get(slice(0), SliceCacheTests::content)).containsExactly(0);
    }

    @Test
    void slicesThatDoNotFitAreEvicted() {
        byte[] large = new byte[1 << 20];
        AtomicInteger reads = new AtomicInteger();
        // The cache evicts in the background.
        while (reads.get() <= 64) {
            for (int i = 0; i < 64; i++) {
                slices.get(slice(i), slice -> {
                    reads.incrementAndGet();
                    return large;
                });
            }
        }
        assertThat(slices.get(slice(0), slice -> large)).isSameAs(large);
    }
}
