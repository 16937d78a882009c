package dev.offsetd.server.storage;

import dev.offsetd.query.store.LookUpLimit;
import dev.offsetd.query.store.TypesTooLargeException;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/**
 * Bounds the heap used to read stored builds for answers. Small answers are not counted; large ones share an eighth of the heap,
 * so that any number of clients can request them. Answers that read objects may hold their share while the store is slow; the
 * others then wait for a bounded time.
 */
@Component
final class AnswerHeap {

    private static final int PERMIT_BYTES = 1 << 16;

    /**
     * Heap of answers that are not counted. They take less than 10 ms, so that they need not leave their virtual thread: it is that of
     * 1 MB of types, decompressed.
     */
    private static final int MOST_FREE_BYTES = 12 << 20;

    /** Heap for each byte of stored types that an answer reads: their records, and the rendered bytes. */
    static final int OF_TYPES_BYTE = 12;

    /** Share of the heap for the types that one answer reads, at most. */
    private static final int SHARE_OF_TYPES = 4;

    /** Step of a limit that turns out to be too low. */
    private static final int LIMIT_FACTOR = 8;

    /** Fair, so that an answer that needs all permits is not starved. */
    private final Semaphore permits;

    private final int allPermits;
    private final long freeBytes;
    private final long mostTypeBytes;
    private final @Nullable Duration maxWait;
    private final ComputePool threads;

    @Autowired
    AnswerHeap(ObjectStore objects, @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this(Runtime.getRuntime().maxMemory(), objects.isConfigured() ? ObjectStore.MAX_WAIT : null, threads);
    }

    /** @param maxWait longest wait for heap; null if no work waits for others */
    AnswerHeap(long heapBytes, @Nullable Duration maxWait, ComputePool threads) {
        this.threads = threads;
        this.maxWait = maxWait;
        this.allPermits = Math.clamp(heapBytes / 8 / PERMIT_BYTES, 1, Integer.MAX_VALUE);
        this.permits = new Semaphore(allPermits, true);
        this.freeBytes = Math.min(MOST_FREE_BYTES, heapBytes / 100);
        this.mostTypeBytes = heapBytes / SHARE_OF_TYPES / OF_TYPES_BYTE;
    }

    /**
     * Runs work when there is heap for it, on a thread for work that computes unless it is small.
     *
     * @param bytes estimated upper bound of the heap that the work retains
     * @param work must not wait for more of this heap, nor for the network other than the object store
     * @throws StoreUnreachableException if other work holds the heap for too long
     */
    <T> T keeping(long bytes, Supplier<T> work) {
        if (bytes <= freeBytes) {
            return work.get();
        }
        int wanted = (int) Math.min(allPermits, bytes / PERMIT_BYTES + 1);
        acquire(wanted);
        try {
            return threads.answer(work);
        } finally {
            permits.release(wanted);
        }
    }

    /** Does the same as {@link #keeping}, for work that takes long even if it needs little heap. */
    <T> T computing(long bytes, Supplier<T> work) {
        return keeping(bytes, () -> threads.answer(work));
    }

    /**
     * Runs work that looks types up in stored catalogues, as {@link #keeping} does. The size of a type with those that it holds by
     * value is known only when it is read: if the types need more heap than estimated, the work begins again with more.
     *
     * @param typeBytes estimated bytes of the types, decompressed
     * @param heapOfByte heap that each of them needs
     * @throws ProblemException if the types take more than a fair share of the heap: 422
     */
    <T> T reading(long typeBytes, int heapOfByte, Supplier<T> work) {
        long limit = Math.max(typeBytes, freeBytes / heapOfByte);
        while (limit < mostTypeBytes) {
            long estimated = limit;
            try {
                return keeping(limit * heapOfByte, () -> LookUpLimit.during(estimated, work));
            } catch (TypesTooLargeException e) {
                limit *= LIMIT_FACTOR;
            }
        }
        try {
            return keeping(mostTypeBytes * heapOfByte, () -> LookUpLimit.during(mostTypeBytes, work));
        } catch (TypesTooLargeException e) {
            throw new ProblemException(Problem.limitExceeded("The types are too large", e.getMessage()));
        }
    }

    private void acquire(int wanted) {
        if (maxWait == null) {
            permits.acquireUninterruptibly(wanted);
            return;
        }
        boolean acquired = false;
        try {
            acquired = permits.tryAcquire(wanted, maxWait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!acquired) {
            throw new StoreUnreachableException(
                    "object store: other large answers have waited for it for " + maxWait.toSeconds() + " s");
        }
    }
}
