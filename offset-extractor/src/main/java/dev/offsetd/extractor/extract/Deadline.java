package dev.offsetd.extractor.extract;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;

/** The moment at which {@link Limits#maxDuration()} is over. Immutable. */
final class Deadline {

    private final Limits limits;
    private final long endNanos;

    Deadline(Limits limits) {
        this.limits = limits;
        this.endNanos = System.nanoTime() + limits.maxDuration().toNanos();
    }

    /** Throws if the time is over. */
    void check(String section) throws LimitExceededException {
        if (System.nanoTime() - endNanos > 0) {
            throw new LimitExceededException(
                    section,
                    ExtractionException.NO_OFFSET,
                    "maxDuration",
                    limits.maxDuration().toMillis(),
                    "milliseconds; the file is not read to its end");
        }
    }
}
