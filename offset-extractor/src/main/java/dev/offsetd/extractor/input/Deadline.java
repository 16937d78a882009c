package dev.offsetd.extractor.input;

/** The moment at which {@link Limits#maxDuration()} is over. Immutable. */
public final class Deadline {

    private final Limits limits;
    private final long startNanos;

    /** The deadline of work that starts now. */
    public Deadline(Limits limits) {
        this.limits = limits;
        this.startNanos = System.nanoTime();
    }

    /**
     * Throws if the time is over.
     *
     * @param section that is being read
     */
    public void check(String section) throws LimitExceededException {
        long spentNanos = System.nanoTime() - startNanos;
        if (spentNanos > limits.maxDuration().toNanos()) {
            throw new LimitExceededException(
                    section,
                    ExtractionException.NO_OFFSET,
                    "maxDuration",
                    limits.maxDuration().toMillis(),
                    spentNanos / 1_000_000 + " milliseconds; the file is not read to its end");
        }
    }
}
