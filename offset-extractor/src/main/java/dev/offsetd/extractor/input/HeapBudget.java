package dev.offsetd.extractor.input;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Budget of heap memory for the types, names and symbols of a file. Use is estimated from records, not measured: a fixed
 * number of bytes for each type, member and character, for a 64-bit JVM with compressed pointers, rounded up, with what
 * the catalogue writer adds. Concurrent extractions may share a budget. Thread-safe.
 */
public final class HeapBudget {

    private final long maxBytes;
    private final AtomicLong kept = new AtomicLong();

    /** Creates an unused budget. */
    public HeapBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    public long maxBytes() {
        return maxBytes;
    }

    /** Returns the estimated use in bytes. */
    public long keptBytes() {
        return kept.get();
    }

    /**
     * Charges bytes to the budget.
     *
     * @throws LimitExceededException if the budget does not suffice
     */
    public void keep(long bytes, String section, long offset) throws LimitExceededException {
        long all = kept.addAndGet(bytes);
        if (all > maxBytes) {
            throw new LimitExceededException(
                    section,
                    offset,
                    Limits.MAX_KEPT_BYTES,
                    maxBytes,
                    "types, names and symbols up to here take " + all
                            + " bytes of heap; a larger -Xmx raises the limit");
        }
    }

    /** Returns charged bytes to the budget. */
    public void release(long bytes) {
        kept.addAndGet(-bytes);
    }
}
