package dev.offsetd.query.store;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;

/** Thrown when a part of a blob takes more bytes than the heap has room for: the writer makes several copies of it. */
public final class BlobTooLargeException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final long allowed;

    private BlobTooLargeException(String part, long bytes, long allowed) {
        super(part + " takes " + bytes + " bytes to store");
        this.allowed = allowed;
    }

    /** @param part what takes the bytes, for the message */
    static void check(String part, long bytes, long allowed) {
        if (bytes > allowed) {
            throw new BlobTooLargeException(part, bytes, allowed);
        }
    }

    /** Returns a share of the largest heap; at least a mebibyte. */
    static long shareOfHeap(int divisor) {
        return Math.max(1 << 20, Runtime.getRuntime().maxMemory() / divisor);
    }

    /** Returns this as the error of the file that was to be stored. */
    public LimitExceededException ofFile() {
        return new LimitExceededException(
                "file", ExtractionException.NO_OFFSET, Limits.MAX_KEPT_BYTES, allowed, String.valueOf(getMessage()));
    }
}
