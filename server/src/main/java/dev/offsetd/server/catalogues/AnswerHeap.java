package dev.offsetd.server.catalogues;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Heap for what is read of stored builds to answer questions. Small answers take none of it; large ones share an eighth of the
 * heap, so that any number of callers can ask for them.
 */
@Component
final class AnswerHeap {

    private static final int PERMIT_BYTES = 1 << 16;

    /** Fair, so that an answer that takes all of it gets its turn. */
    private final Semaphore permits;

    private final int allPermits;
    private final long freeBytes;

    AnswerHeap() {
        this(Runtime.getRuntime().maxMemory());
    }

    AnswerHeap(long heapBytes) {
        this.allPermits = Math.clamp(heapBytes / 8 / PERMIT_BYTES, 1, Integer.MAX_VALUE);
        this.permits = new Semaphore(allPermits, true);
        this.freeBytes = Math.min(12L << 20, heapBytes / 100);
    }

    /**
     * Does work once there is heap for it.
     *
     * @param bytes that the work keeps at most, by estimate
     * @param work must not wait for the network, nor for more of this heap
     */
    <T> T keeping(long bytes, Supplier<T> work) {
        if (bytes <= freeBytes) {
            return work.get();
        }
        int wanted = (int) Math.min(allPermits, bytes / PERMIT_BYTES + 1);
        permits.acquireUninterruptibly(wanted);
        try {
            return work.get();
        } finally {
            permits.release(wanted);
        }
    }
}
