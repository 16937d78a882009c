package dev.offsetd.server.catalogues;

import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/**
 * Bounds the heap used to read stored builds for answers. Small answers are not counted; large ones share an eighth of the heap,
 * so that any number of clients can request them.
 */
@Component
final class AnswerHeap {

    private static final int PERMIT_BYTES = 1 << 16;

    /** Fair, so that an answer that needs all permits is not starved. */
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
     * Runs work when there is heap for it.
     *
     * @param bytes estimated upper bound of the heap that the work retains
     * @param work must not wait for the network or for more of this heap
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
