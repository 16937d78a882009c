package dev.offsetd.extractor.input;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Heap memory that may be kept of a file while it is read, and an estimate of how much is. The estimate counts records, not
 * the objects of the virtual machine: so many bytes for a type, a member, a character. The numbers are those of the
 * 64-bit virtual machine with compressed pointers, rounded up; what a writer of catalogues makes of the record is in
 * them. Readings that run side by side may share a budget. Safe for any number of threads.
 */
public final class HeapBudget {

    private final long maxBytes;
    private final AtomicLong kept = new AtomicLong();

    /** A budget of which nothing is used. */
    public HeapBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** How much may be kept. */
    public long maxBytes() {
        return maxBytes;
    }

    /** How much is kept, by estimate. */
    public long keptBytes() {
        return kept.get();
    }

    /**
     * Counts bytes that are about to be kept.
     *
     * @throws LimitExceededException if they are too many
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

    /** Counts bytes that are kept no longer. */
    public void release(long bytes) {
        kept.addAndGet(-bytes);
    }
}
