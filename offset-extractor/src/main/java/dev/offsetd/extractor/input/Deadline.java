package dev.offsetd.extractor.input;

/** End of the time that {@link Limits#maxDuration()} allows. Immutable. */
public final class Deadline {

    private final Limits limits;
    private final long startNanos;

    /** Creates the deadline of work that starts now. */
    public Deadline(Limits limits) {
        this.limits = limits;
        this.startNanos = System.nanoTime();
    }

    /**
     * Throws if the deadline has passed.
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
