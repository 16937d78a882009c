package dev.offsetd.server.operations.compute;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Equal shares of the heap for the data of files that are read. A file that needs more than one waits until it can have all. */
public final class HeapShares {

    /** Any time to wait for a share. */
    public static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private final int all;
    private final long bytes;

    /** Fair, so that a file that needs all of them is not starved. */
    private final Semaphore free;

    /**
     * Creates the shares.
     *
     * @param heapBytes of all of them together
     */
    public HeapShares(int count, long heapBytes) {
        this.all = count;
        this.bytes = Math.max(1, heapBytes / count);
        this.free = new Semaphore(count, true);
    }

    /** Reads a file with a bound on its data. It may be called again with a larger one. */
    @FunctionalInterface
    public interface Reading<T extends @Nullable Object> {
        T within(HeapBudget heap) throws IOException, ExtractionException, InterruptedException;
    }

    /** Returns the size of a share. */
    public long bytes() {
        return bytes;
    }

    /** Reads a file that is probably not large, however long it waits for a share. */
    public <T extends @Nullable Object> T read(Reading<T> reading)
            throws IOException, ExtractionException, InterruptedException {
        try {
            return read(false, FOREVER, reading);
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Reads a file.
     *
     * @param large whether it needs all shares from the start
     * @throws TimeoutException if no share became free in this time
     */
    public <T extends @Nullable Object> T read(boolean large, Duration maxWait, Reading<T> reading)
            throws IOException, ExtractionException, InterruptedException, TimeoutException {
        int wanted = large ? all : 1;
        while (true) {
            if (!free.tryAcquire(wanted, maxWait.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new TimeoutException();
            }
            try {
                return reading.within(new HeapBudget(bytes * wanted));
            } catch (LimitExceededException e) {
                if (wanted == all || !e.limit().equals(Limits.MAX_KEPT_BYTES)) {
                    throw e;
                }
            } finally {
                free.release(wanted);
            }
            wanted = all;
        }
    }
}
